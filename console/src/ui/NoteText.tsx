import { partsOf } from "./mentions";

export function NoteText({ text }: { text: string }) {
  return (
    <p class="bubble-text">
      {partsOf(text).map((part, index) =>
        part.isMention ? (
          <mark key={index} class="mention">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </p>
  );
}
