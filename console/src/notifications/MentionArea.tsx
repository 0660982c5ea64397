// The text of a note, in which @ suggests people and teams. Not part of the first load.

import type { ComponentProps } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { usePeople } from "../session/people";
import { t } from "../texts/texts";
import { completed, mentionAt, type Mention } from "./mentionAt";
import { matching, mentionables, type Mentionable } from "./mentions";

interface Props extends ComponentProps<"textarea"> {
  text: string;
  write: (text: string) => void;
}

export function MentionArea({ text, write, ...area }: Props) {
  const people = usePeople();
  const box = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const [at, setAt] = useState<Mention | null>(null);
  const [chosen, setChosen] = useState(0);
  const found = people && at ? matching(mentionables(people), at.words) : [];
  const look = () => {
    setAt(mentionAt(box.current!.value, box.current!.selectionStart));
    setChosen(0);
  };
  const choose = ({ label }: Mentionable) => {
    if (!at) return;
    const next = completed(text, at, label);
    // At once: the next key may follow before the page is drawn again.
    box.current!.value = next.text;
    box.current!.focus();
    box.current!.setSelectionRange(next.position, next.position);
    write(next.text);
    setAt(null);
  };
  const keys = (event: KeyboardEvent) => {
    if (!found.length || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + found.length) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(found[chosen]!);
    else if (event.key === "Escape") setAt(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="mention-area">
      <textarea dir="auto"
        {...area}
        ref={box}
        value={text}
        aria-label={t("note.label")} // without the suggestions
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={found.length ? list : undefined}
        aria-activedescendant={found.length ? `${list}-${chosen}` : undefined}
        onBlur={() => setAt(null)}
        onInput={(event) => {
          write(event.currentTarget.value);
          look();
        }}
        onClick={look}
        onKeyDown={keys}
      />
      {found.length > 0 && (
        <span id={list} class="panel mention-list" role="listbox" aria-label={t("note.mention")}>
          {found.map((one, index) => (
            <span
              key={one.id}
              id={`${list}-${index}`}
              class="choice"
              role="option"
              aria-selected={index === chosen}
              onPointerDown={(event) => {
                event.preventDefault(); // the text keeps the focus
                choose(one);
              }}
            >
              {one.id.startsWith("team:") ? t("actor.team", { name: one.label }) : one.label}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}
