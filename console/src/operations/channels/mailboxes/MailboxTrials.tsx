// A version of a mailbox's settings that is chosen is tried beside the live one.

import { useState } from "preact/hooks";
import { useApp } from "../../../app";
import { trialsOfMailbox } from "../../versions/trials/ofMailbox";
import { Trials } from "../../versions/trials/Trials";
import { ofMailbox } from "../../versions/sources";
import { VersionField } from "../../versions/VersionField";
import { liveOf, useVersions } from "../../versions/Versions";

export function MailboxTrials({ address, onChange }: { address: string; onChange: () => void }) {
  const { client } = useApp();
  const versions = useVersions(ofMailbox(client, address));
  const [chosen, setChosen] = useState<number | null>(null);
  const live = liveOf(versions);
  const version = chosen ?? versions.items[0]?.number ?? null;
  if (version === null) return null; // a trial needs a second version
  return (
    <>
      <VersionField name="version" version={version} versions={versions.items} error={null} onChoose={setChosen} />
      <Trials source={trialsOfMailbox(client, address)} version={version} live={live} onChange={onChange} />
    </>
  );
}
