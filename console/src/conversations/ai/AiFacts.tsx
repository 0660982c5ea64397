// Beside an AI conversation: who leads it, the customer, recorded answers, labels, notes, its status changes.

import { useApp } from "../../app";
import { Labels } from "../contact/Labels";
import { NoteForm } from "../contact/Notes";
import { OtherConversations } from "../contact/OtherConversations";
import { actor, moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Fact } from "../../ui/frame";
import { Badge } from "../../ui/controls";
import { personOf, type Head, type Note } from "./conversationState";

interface Props {
  head: Head;
  me: string | null;
  notes: Note[];
  onChange: () => Promise<void>;
}

export function AiFacts({ head, me, notes, onChange }: Props) {
  const { client } = useApp();
  const path = { ref: head.ref };
  const answers = Object.entries(head.recorded_answers);
  return (
    <>
      <dl>
        <Fact label={t("facts.status")}>
          <Badge kind={head.hand_off_to_human ? "warn" : "accent"}>{named("status", head.conversation_status)}</Badge>
          {head.status_reason && <span class="quiet"> {named("reason", head.status_reason)}</span>}
          {head.snoozed_until && <span class="quiet"> {t("facts.snoozed", { at: moment(head.snoozed_until) })}</span>}
        </Fact>
        {head.resumes_at && <Fact label={t("facts.resumes")}>{moment(head.resumes_at)}</Fact>}
        <Fact label={t("facts.leads")}>{head.mode === "human" ? actor(head.owner ?? "", me) : t("actor.model")}</Fact>
        {head.recipient.tel && <Fact label={t("facts.phone")}>{head.recipient.tel_text}</Fact>}
        {head.recipient.email && <Fact label={t("facts.email")}>{head.recipient.email}</Fact>}
        {head.unreachable && <Fact label={t("facts.unreachable")}>{[named("reason", head.unreachable.reason), moment(head.unreachable.since)].join(" · ")}</Fact>}
        {head.window_until && <Fact label={t("facts.window")}>{moment(head.window_until)}</Fact>}
        {head.satisfaction && (
          <Fact label={t("facts.satisfaction")}>
            {t("facts.score", { score: head.satisfaction.score })} {head.satisfaction.comment}
          </Fact>
        )}
        <Fact label={t("facts.created")}>{moment(head.created_at)}</Fact>
      </dl>
      {answers.length > 0 && (
        <section class="facts-part">
          <h3>{t("facts.answers")}</h3>
          <dl>
            {answers.map(([question, answer]) => (
              <Fact key={question} label={question}>
                {answer}
              </Fact>
            ))}
          </dl>
        </section>
      )}
      {head.replaced_answers.length > 0 && (
        <section class="facts-part">
          <h3>{t("facts.replaced_answers")}</h3>
          <dl>
            {head.replaced_answers.map((one, index) => (
              <Fact key={index} label={one.question}>
                <s>{one.answer}</s> <span class="quiet">{t("facts.replaced_at", { at: moment(one.replaced_at) })}</span>
              </Fact>
            ))}
          </dl>
        </section>
      )}
      <Labels
        conversation={head.ref}
        labels={head.labels}
        onSet={({ labels }) => client.call("POST /conversations/{ref}/labels", { path, body: { labels, revision: head.revision } })}
        onChange={onChange}
      />
      <NoteForm
        conversation={head.ref}
        count={notes.length}
        longest={4_000}
        onAdd={(text, key) => client.call("POST /conversations/{ref}/notes", { path, body: { text }, key })}
        onChange={onChange}
      />
      {head.changes.length > 0 && (
        <section class="facts-part">
          <h3>{t("facts.changes")}</h3>
          <ol class="others">
            {head.changes.map((change, index) => (
              <li key={index}>
                <p>
                  {named("status", change.to_status)}
                  {change.reason && <span class="quiet"> {named("reason", change.reason)}</span>}
                </p>
                <p class="quiet">
                  {change.principal ? actor(change.principal, me) : named("author", personOf(change.who))} · {moment(change.at)}
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
      <OtherConversations handles={[head.recipient.tel, head.recipient.email]} context="conversations" id={head.ref} />
    </>
  );
}
