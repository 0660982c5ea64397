// One item of an outline: its texts, its sources, its place.

import type { ApiError } from "../../api/errors";
import { named, t, tn } from "../../texts/texts";
import { Badge, Field, IconButton } from "../../ui/controls";
import type { Item } from "./outline";
import type { Reference, Warning } from "../source";
import { dateText } from "./TopicsStep";

interface Props {
  item: Item;
  isOwn: boolean;
  isDragged: boolean;
  fieldOf: (name: string) => string; // as the API names it
  error: ApiError | null;
  references: Reference[];
  stale: string[];
  warnings: Warning[];
  onChange: (change: Partial<Item>) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
  onDrag: (isOn: boolean) => void;
  onDrop: () => void;
}

const STEPS: Record<string, 1 | -1> = { ArrowUp: -1, ArrowDown: 1 };

export function OutlineItem({ item, isOwn, isDragged, fieldOf, error, references, stale, warnings, onChange, onMove, onRemove, onDrag, onDrop }: Props) {
  const sources = references.filter(({ id }) => item.references.includes(id));
  return (
    <li
      class={`newsletter-item${isDragged ? " newsletter-dragged" : ""}${item.isIncluded ? "" : " newsletter-excluded"}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation(); // the section takes what is dropped beside its items
        onDrop();
      }}
    >
      {isOwn && (
        <div class="newsletter-moves">
          {/* Browsers drag no button. */}
          <span
            role="button"
            tabIndex={0}
            class="icon-button newsletter-handle"
            draggable
            aria-label={t("newsletter.outline.move", { title: item.title })}
            title={t("newsletter.outline.move_about")}
            onDragStart={(event) => {
              event.dataTransfer?.setData("text/plain", item.key);
              onDrag(true);
            }}
            onDragEnd={() => onDrag(false)}
            onKeyDown={(event) => {
              const by = STEPS[event.key];
              if (!by) return;
              event.preventDefault();
              const handle = event.currentTarget;
              onMove(by);
              // In another section the item is another element.
              setTimeout(() => (handle.isConnected ? handle.focus() : document.querySelector<HTMLElement>(`[data-item="${item.key}"]`)?.focus()));
            }}
            data-item={item.key}
          >
            ⠿
          </span>
          <IconButton icon="up" label={t("newsletter.outline.up", { title: item.title })} onClick={() => onMove(-1)} />
          <IconButton icon="down" label={t("newsletter.outline.down", { title: item.title })} onClick={() => onMove(1)} />
        </div>
      )}
      <div class="newsletter-item-body">
        <Field label={t("newsletter.outline.title")} name={fieldOf("title")} error={error}>
          <input value={item.title} maxLength={200} disabled={!isOwn} dir="auto" onInput={(event) => onChange({ title: event.currentTarget.value })} />
        </Field>
        <details>
          <summary>{t("newsletter.outline.more")}</summary>
          <Field label={t("newsletter.outline.description")} name={fieldOf("description")} error={error}>
            <textarea rows={2} value={item.description} disabled={!isOwn} dir="auto" onInput={(event) => onChange({ description: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.outline.notes")} name={fieldOf("user_notes")} error={error}>
            <textarea rows={2} value={item.notes} disabled={!isOwn} dir="auto" onInput={(event) => onChange({ notes: event.currentTarget.value })} />
          </Field>
        </details>
        <details>
          <summary>{sources.length ? tn("newsletter.sources", sources.length) : t("newsletter.no_sources")}</summary>
          <ul class="newsletter-passages">
            {sources.map((one) => (
              <li key={one.id}>
                <bdi>{one.title}</bdi> <span class="quiet">{dateText(one.date)}</span> {stale.includes(one.id) && <Badge kind="warn">{t("newsletter.source_stale")}</Badge>}
                <p class="newsletter-passage" dir="auto">{one.text}</p>
              </li>
            ))}
          </ul>
        </details>
        {warnings.map((one) => (
          <p key={one.code + one.text} class="notice notice-warn">{named("newsletter.warning", one.code)}</p>
        ))}
        <div class="newsletter-item-end">
          <label class="choice-line">
            <input type="checkbox" checked={item.isIncluded} disabled={!isOwn} onChange={(event) => onChange({ isIncluded: event.currentTarget.checked })} />
            <span>{t("newsletter.outline.included")}</span>
          </label>
          {isOwn && <IconButton icon="close" label={t("newsletter.outline.remove", { title: item.title })} onClick={onRemove} />}
        </div>
      </div>
    </li>
  );
}
