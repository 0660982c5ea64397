// Views of the list with their counts: presets, views of the person and of the person's teams; and the form that saves one.

import { useEffect, useState } from "preact/hooks";
import { useAction, useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { placeOf, withQuery } from "../shell/router";
import { actor } from "../texts/format";
import { t, type Key } from "../texts/texts";
import { Button, ErrorNotice, Field, IconButton, Menu } from "../ui/controls";
import { showToast } from "../ui/toastList";
import { countText, isShown, placeOfView, type Filters } from "./savedViews";

const POLL_MS = 120_000; // each count reads up to 300 conversations

export function Views({ shown }: { shown: Filters }) {
  const { client } = useApp();
  const session = useSession();
  const me = session.person?.principal ?? null;
  const teams = session.teams.join(",");
  const views = useResource(async (signal) => (await client.call("GET /inbox/views", { query: teams ? { teams } : {}, signal })).result, [client, teams, session.company], POLL_MS);
  const owned = (views.value?.owners ?? []).flatMap(({ owner, views }) => views.map((view) => ({ ...view, owner })));
  return (
    <div class="views">
      <nav class="tabs" aria-label={t("views.label")}>
        {views.value?.presets.map(({ name, filters, count, isExact }) => (
          <View key={name} name={t(`views.preset.${name}` as Key)} filters={filters} count={countText(count, isExact)} shown={shown} />
        ))}
        {owned.map(({ owner, name, filters, count, isExact }) => (
          <View key={`${owner} ${name}`} name={owner === me ? name : `${name} (${actor(owner, me)})`} filters={filters} count={countText(count, isExact)} shown={shown} />
        ))}
      </nav>
      <Menu label={t("views.manage")} button="…">
        {(close) => (
          <div class="account-panel">
            {views.error && <ErrorNotice error={views.error} onRetry={() => void views.reload()} />}
            <Fresh reload={views.reload} />
            <SaveForm shown={shown} teams={session.teams} onSaved={() => void views.reload().then(close)} />
            {owned.map(({ owner, name, filters }) => (
              <Removable key={`${owner} ${name}`} owner={owner} name={name} filters={filters} me={me} onChange={() => void views.reload()} />
            ))}
          </div>
        )}
      </Menu>
    </div>
  );
}

// What colleagues have saved or removed meanwhile is there when the panel opens.
function Fresh({ reload }: { reload: () => Promise<void> }) {
  useEffect(() => void reload(), []);
  return null;
}

function View({ name, filters, count, shown }: { name: string; filters: Filters; count: string; shown: Filters }) {
  const { section, query } = placeOfView(filters);
  return (
    <a class="tab" href={withQuery(placeOf(section), query)} aria-current={isShown(filters, shown) ? "true" : undefined}>
      {name} <span class="count">{count}</span>
    </a>
  );
}

function SaveForm({ shown, teams, onSaved }: { shown: Filters; teams: string[]; onSaved: () => void }) {
  const { client } = useApp();
  const [name, setName] = useState("");
  const [team, setTeam] = useState("");
  const save = useAction(async () => {
    await client.call("POST /inbox/views", { body: { name: name.trim(), filters: shown as never, ...(team ? { team } : {}) } });
    onSaved();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) void save.run();
      }}
    >
      <Field label={t("views.name")} error={save.error} name="name">
        <input value={name} maxLength={60} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      {teams.length > 0 && (
        <Field label={t("views.owner")} name="team" error={save.error}>
          <select value={team} onChange={(event) => setTeam(event.currentTarget.value)}>
            <option value="">{t("views.mine")}</option>
            {teams.map((one) => (
              <option key={one} value={one}>
                {actor(`team:${one}`, null)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {save.error && <ErrorNotice error={save.error} fields={["name", "team"]} />}
      <Button type="submit" kind="primary" busy={save.busy} disabled={!name.trim()}>
        {t("views.save")}
      </Button>
    </form>
  );
}

function Removable({ owner, name, filters, me, onChange }: { owner: string; name: string; filters: Filters; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const remove = useAction(async () => {
    const team = owner === me ? {} : { team: owner.replace(/^team:/, "") };
    const store = async (kept: { filters?: never }) => {
      await client.call("POST /inbox/views", { body: { name, ...team, ...kept } });
      onChange();
    };
    await store({});
    showToast(t("undo.removed", { name }), () => store({ filters: filters as never }));
  });
  return (
    <p class="attached">
      <span class="attached-name">
        {name} {owner !== me && <span class="quiet">{actor(owner, me)}</span>}
      </span>
      <IconButton icon="close" label={t("views.remove", { name })} onClick={() => void remove.run()} />
      {remove.error && <ErrorNotice error={remove.error} />}
    </p>
  );
}
