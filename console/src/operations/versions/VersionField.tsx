// The choice of the version that is tried.

import type { ComponentChildren } from "preact";
import type { ApiError } from "../../api/errors";
import { t } from "../../texts/texts";
import { Field } from "../../ui/controls";
import type { Summary } from "./Versions";

interface Props {
  name: "number" | "version"; // of the field in the request
  version: number | null; // the chosen one
  versions: Summary[];
  error: ApiError | null;
  onChoose: (number: number) => void;
  children?: ComponentChildren; // further options, above the versions
}

export function VersionField({ name, version, versions, error, onChoose, children }: Props) {
  return (
    <Field label={t("replay.version")} name={name} error={error}>
      <select value={version ?? ""} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {children}
        {versions.map((one) => (
          <option key={one.number} value={one.number}>
            {[one.is_live ? t("replay.live", { number: one.number }) : one.number, one.note].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
    </Field>
  );
}

// Title of an answer: whose it is.
export function answerOf(version: number | null | undefined): string {
  return version == null ? t("replay.now_live") : t("replay.now", { number: version });
}
