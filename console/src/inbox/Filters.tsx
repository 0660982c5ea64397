// Narrows the list: by channel, number or mailbox, assignee and label.

import { t } from "../texts/texts";
import { AssigneeFilter } from "./AssigneeFilter";
import { type Address, type Choice, type Context, type DueFilter, type Row } from "./source";

const DUE: DueFilter[] = ["at_risk", "overdue"];
const WAITING = "waiting";
const CHANNELS: Row["channel"][] = ["whatsapp", "sms", "email"];

interface Props {
  context: Context | null;
  isMine: boolean;
  addresses: Address[]; // of the company in the context
  labels: string[]; // of conversations that were listed
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

export function Filters({ context, isMine, addresses, labels, choice, onChoose }: Props) {
  const known = labels.map((label) => ({ value: label, name: label }));
  return (
    <div class="filters">
      {(context === null || context === "conversations") && (
        <Select
          label={t("inbox.channel")}
          every={t("inbox.channel_all")}
          options={CHANNELS.map((one) => ({ value: one, name: t(`channel.${one}`) }))}
          chosen={choice.channel}
          onChoose={(channel) => onChoose({ ...choice, channel: channel as Row["channel"] | null })}
        />
      )}
      {addresses.length > 0 && (
        <Select
          label={t("inbox.address")}
          every={t("inbox.address_all")}
          options={addresses.map((one) => ({ value: one.address, name: one.name }))}
          chosen={choice.address}
          onChoose={(address) => onChoose({ ...choice, address })}
        />
      )}
      {(context === null || context === "email_threads") && (
        <Select
          label={t("inbox.due")}
          every={t("inbox.due_all")}
          options={DUE.map((one) => ({ value: one, name: t(`inbox.due.${one}`) }))}
          chosen={choice.due}
          onChoose={(due) => onChoose({ ...choice, due: due as DueFilter | null })}
        />
      )}
      <Select
        label={t("inbox.wait")}
        every={t("inbox.wait_all")}
        options={[{ value: WAITING, name: t("inbox.only_waiting") }]}
        chosen={choice.waiting ? WAITING : null}
        onChoose={(wait) => onChoose({ ...choice, waiting: wait === WAITING })}
      />
      {!isMine && <AssigneeFilter chosen={choice.assignee} onChoose={(assignee) => onChoose({ ...choice, assignee })} />}
      {known.length > 0 && (
        <Select
          label={t("inbox.label")}
          every={t("inbox.label_all")}
          options={known}
          chosen={choice.label}
          onChoose={(label) => onChoose({ ...choice, label })}
        />
      )}
    </div>
  );
}

interface SelectProps {
  label: string;
  every: string;
  options: { value: string; name: string }[];
  chosen: string | null;
  onChoose: (value: string | null) => void;
}

function Select({ label, every, options, chosen, onChoose }: SelectProps) {
  return (
    <select aria-label={label} value={chosen ?? ""} onChange={(event) => onChoose(event.currentTarget.value || null)}>
      <option value="">{every}</option>
      {options.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}
