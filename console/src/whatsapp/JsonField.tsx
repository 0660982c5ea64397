// JSON that is typed, pasted or taken from a file, with what is wrong at its lines.

import { useId, useRef } from "preact/hooks";
import { t } from "../texts/texts";
import type { Placed } from "./json";

interface Props {
  label: string;
  text: string;
  onInput: (text: string) => void;
  problems: Placed[];
  rows?: number;
  required?: boolean;
  hasFile?: boolean; // it may come from a file
}

export function JsonField({ label, text, onInput, problems, rows = 14, required = false, hasFile = false }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const show = (line: number) => {
    const lines = text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <div class="field">
      {hasFile && (
        <label class="field">
          <span class="field-label">{t("wa.json.file")}</span>
          <input
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              const input = event.currentTarget;
              void input.files?.[0]?.text().then((read) => {
                onInput(read);
                input.value = ""; // the same file can be taken again
              });
            }}
          />
        </label>
      )}
      <label class="field">
        <span class="field-label">{label}</span>
        <textarea ref={area} dir="ltr" spellcheck={false} rows={rows} required={required} value={text} aria-invalid={problems.length > 0} aria-describedby={problems.length ? id : undefined} onInput={(event) => onInput(event.currentTarget.value)} />
      </label>
      {problems.length > 0 && (
        <div class="field-problem" id={id} role="alert">
          <ul class="wa-problems">
          {problems.map(({ line, words }) => (
            <li key={`${line} ${words}`}>
              {line !== null && (
                <button type="button" class="link" onClick={() => show(line)}>
                  {t("wa.json.line", { line })}
                </button>
              )}{" "}
              <bdi>{words}</bdi>
            </li>
          ))}
          </ul>
        </div>
      )}
    </div>
  );
}
