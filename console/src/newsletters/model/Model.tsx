// What the model of the company's newsletters may do: its versions, a try of one of them, and the sets that it has to pass.

import { useApp } from "../../app";
import { setsOfNewsletters } from "../../operations/versions/setSources";
import { SetsOfVersions } from "../../operations/versions/Sets";
import { ofNewsletters } from "../../operations/versions/sources";
import { VersionList } from "../../operations/versions/Versions";
import { t } from "../../texts/texts";
import { StepPlayground } from "./StepPlayground";

export function Model() {
  const { client } = useApp();
  return (
    <>
      <VersionList source={ofNewsletters(client)} about={t("versions.newsletters_about")} effect={t("versions.newsletters")} onChange={() => undefined} />
      <StepPlayground />
      <SetsOfVersions source={setsOfNewsletters(client)} versions={ofNewsletters(client)} about={t("sets.newsletters_about")} />
    </>
  );
}
