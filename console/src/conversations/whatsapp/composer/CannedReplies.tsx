import { useEffect, useRef, useState } from "preact/hooks";
import type { WhatsappSending } from "../../../api/routes";
import { useResource } from "../../../api/resource";
import { useApp, useSession } from "../../../app";
import { t } from "../../../texts/texts";
import { Icon } from "../../../ui/icons";
import { Button, ErrorNotice, Field, Menu, Skeleton } from "../../../ui/controls";
import { filled, known } from "./variables";

type Reply = WhatsappSending.CannedReplyView;

// Opens the canned replies beside a field with `/` in an empty text. Whether it did.
export function openedCanned(event: KeyboardEvent, text: string): boolean {
  if (event.key !== "/" || text || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  const button = (event.target as Element).closest(".writer")?.querySelector<HTMLElement>("[data-command=canned] > button");
  if (!button) return false;
  event.preventDefault();
  button.click();
  return true;
}

// `customer`: the name to fill in, if it is known. Other variables are asked for.
export function CannedReplies({ customer, onChoose }: { customer: string | null; onChoose: (text: string) => void }) {
  return (
    <Menu command="canned" label={t("canned.choose")} align="start" button={<Icon name="bolt" />}>
      {(close) => (
        <List
          customer={customer}
          onChoose={(text) => {
            close();
            onChoose(text);
          }}
        />
      )}
    </Menu>
  );
}

function List({ customer, onChoose }: { customer: string | null; onChoose: (text: string) => void }) {
  const { client } = useApp();
  const me = useSession().person?.name ?? null;
  const replies = useResource(async (signal) => (await client.call("GET /whatsapp/canned-replies", { signal })).result.cannedReplies, [client]);
  const [words, setWords] = useState("");
  const [asking, setAsking] = useState<Reply | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const isLoaded = replies.value !== null;
  useEffect(() => list.current?.querySelector<HTMLElement>("input, button")?.focus(), [isLoaded]);
  if (replies.error) return <ErrorNotice error={replies.error} onRetry={() => void replies.reload()} />;
  if (replies.value === null) return <Skeleton rows={3} kind="row" />;
  const choose = (reply: Reply) => {
    const values = known(reply.variables, { name: customer, me });
    if (reply.variables.every((name) => values[name])) onChoose(filled(reply.text, values));
    else setAsking(reply);
  };
  if (asking) return <Values reply={asking} given={known(asking.variables, { name: customer, me })} onFilled={onChoose} onBack={() => setAsking(null)} />;
  const found = replies.value.filter((reply) => `${reply.name} ${reply.text}`.toLocaleLowerCase().includes(words.toLocaleLowerCase()));
  return (
    <div class="choices" ref={list}>
      <p class="choices-title">{t("canned.title")}</p>
      {replies.value.length > 5 && (
        <input class="choices-search" aria-label={t("inbox.search")} placeholder={t("inbox.search")} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      )}
      {found.length === 0 && <p class="quiet choices-empty">{t("canned.empty")}</p>}
      {found.map((reply) => (
        <button key={reply.name} type="button" class="choice choice-tall" onClick={() => choose(reply)}>
          <b>{reply.name}</b>
          <span class="quiet">{reply.text}</span>
        </button>
      ))}
    </div>
  );
}

interface ValuesProps {
  reply: Reply;
  given: Record<string, string>;
  onFilled: (text: string) => void;
  onBack: () => void;
}

function Values({ reply, given, onFilled, onBack }: ValuesProps) {
  const [values, setValues] = useState(given);
  const isComplete = reply.variables.every((name) => values[name]?.trim());
  return (
    <form
      class="picker-form"
      onSubmit={(event) => {
        event.preventDefault();
        onFilled(filled(reply.text, values));
      }}
    >
      <p class="picker-preview" dir="auto">{filled(reply.text, values)}</p>
      {reply.variables.map((name) => (
        <Field key={name} label={t("template.value", { name })} name={name}>
          <input value={values[name] ?? ""} maxLength={1024} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
        </Field>
      ))}
      <Button kind="primary" type="submit" disabled={!isComplete}>
        {t("canned.insert")}
      </Button>
      <Button kind="quiet" onClick={onBack}>
        {t("action.back")}
      </Button>
    </form>
  );
}
