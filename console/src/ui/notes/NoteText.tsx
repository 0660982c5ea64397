import { actor } from "../../texts/format";
import { partsOf } from "./mentions";

export function NoteText({ text }: { text: string }) {
  return (
    <p class="bubble-text" dir="auto">
      {partsOf(text).map((part, index) =>
        part.isMention ? (
          <mark key={index} class="mention">
            {part.id ? `@${actor(part.id, null)}` : part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </p>
  );
}
