/// The form of a channel, out of the JSON Schema of its kind: what is saved is tried with the same press.
import { Button, Checkbox, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { channelKinds } from "../api/alerts.ts";
import { asked } from "../api/asked.ts";
import { call, newKey } from "../api/call.ts";
import { madeFrom } from "../api/conflict.ts";
import type { ChannelKindOut, ChannelOut, ChannelTestOut } from "../api/types.ts";
import { LEVELS } from "../format/alerts.ts";
import {
  type SettingField,
  secretsFile,
  secretsIn,
  settingsFrom,
  settingsOf,
  writtenSetting,
} from "../format/channelForm.ts";
import { channelAct } from "../format/formActs.ts";
import { Command } from "../parts/Command.tsx";
import { FoldedCopyAs } from "../parts/CopyAs.tsx";
import { useFocusBack } from "../parts/focus.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { Previewed } from "../parts/Previewed.tsx";
import { ProblemBox } from "../parts/Problem.tsx";
import { tell } from "../parts/Toasts.tsx";
import { isWord, type Language, useLanguage, useSay } from "../words/say.ts";
import { Tested } from "./ChannelTest.tsx";

interface Written {
  name: string;
  kind: string;
  level: string;
  language: string;
  isDefault: boolean;
  isOn: boolean;
  values: Record<string, string>;
}

function writtenOf(channel: ChannelOut | undefined, language: Language): Written {
  const settings = (channel?.channel.settings ?? {}) as Record<string, unknown>;
  const own = language === "zh-CN" ? "zh" : "en";
  return {
    name: channel?.name ?? "",
    kind: channel?.kind ?? (own === "zh" ? "dingtalk" : "email"),
    level: channel?.level ?? "info",
    language: channel?.language ?? own,
    isDefault: channel?.is_default ?? true,
    isOn: channel?.is_on ?? true,
    values: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, writtenSetting(value)]),
    ),
  };
}

/** One form: what is saved is tried with the same press, and the answer stands in it. */
export function ChannelDialog({ channel, close }: { channel?: ChannelOut; close: () => void }) {
  useFocusBack();
  const say = useSay();
  const kinds = useQuery(channelKinds());
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={say(channel ? "rules.edit_title" : "channels.new", { name: channel?.name ?? "" })}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
    >
      <Loaded query={kinds} rows={4}>
        {(found) => <ChannelForm channel={channel} kinds={found.items} close={close} />}
      </Loaded>
    </Modal>
  );
}

interface FormProps {
  channel: ChannelOut | undefined;
  kinds: ChannelKindOut[];
  close: () => void;
}

function ChannelForm({ channel, kinds, close }: FormProps) {
  const say = useSay();
  const client = useQueryClient();
  const language = useLanguage();
  const [form, setForm] = useState<Written>(() => writtenOf(channel, language));
  const [version, setVersion] = useState(channel?.version ?? 0);
  const fields = settingsOf(kinds.find((one) => one.name === form.kind)?.settings ?? {});
  const settings = settingsFrom(fields, form.values);
  const secrets = secretsIn(settings);
  const { name } = form;
  const namespace = channel?.namespace ?? undefined;
  const { settings: _, ...others } = channel?.channel ?? {};
  const written = {
    ...others,
    kind: form.kind,
    settings,
    level: form.level,
    language: form.language,
    default: form.isDefault,
    on: form.isOn,
  };
  const asking = {
    path: { name },
    query: namespace === undefined ? {} : { namespace },
    body: { channel: written },
    headers: madeFrom(version),
  };
  const previewing = useMutation({
    mutationFn: () => {
      const { query, body } = asking;
      return call("preview_channel", { path: { name: name || "new" }, query, body });
    },
  });
  const saving = useMutation({
    mutationFn: async (isTried: boolean): Promise<ChannelTestOut | null> => {
      const saved = await call("put_channel", { ...asking, key: newKey() });
      setVersion(saved.version);
      void client.invalidateQueries({ queryKey: ["alerts"] });
      if (!isTried) return null;
      return await call("try_channel", { path: { name }, query: asking.query });
    },
    onSuccess: (tried) => {
      void client.invalidateQueries({ queryKey: ["alerts"] });
      if (tried !== null) return;
      tell(say("rules.saved", { name }));
      close();
    },
  });
  const set = (changed: Partial<Written>) => setForm({ ...form, ...changed });
  const send = (event: FormEvent, isTried: boolean) => {
    event.preventDefault();
    const place = event.currentTarget.closest("form");
    if (!saving.isPending && (place?.reportValidity() ?? true)) saving.mutate(isTried);
  };
  return (
    <form className="stack" onSubmit={(event) => send(event, false)}>
      <div className="row fields">
        <NativeSelect
          label={say("channels.kind")}
          value={form.kind}
          disabled={channel !== undefined}
          onChange={(event) => set({ kind: event.currentTarget.value, values: {} })}
        >
          {kinds.map((kind) => {
            const word = `chkind.${kind.name}`;
            return (
              <option key={kind.name} value={kind.name} translate={isWord(word) ? undefined : "no"}>
                {isWord(word) ? say(word) : kind.name}
              </option>
            );
          })}
        </NativeSelect>
        <TextInput
          label={say("channels.name")}
          required
          disabled={channel !== undefined}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          data-autofocus
        />
      </div>
      {fields.map((field) => (
        <Setting
          key={`${form.kind} ${field.name}`}
          field={field}
          value={form.values[field.name] ?? ""}
          set={(value) => set({ values: { ...form.values, [field.name]: value } })}
        />
      ))}
      <div className="row fields">
        <NativeSelect
          label={say("channels.from_level")}
          value={form.level}
          onChange={(event) => set({ level: event.currentTarget.value })}
          data={[...LEVELS].reverse().map((one) => ({ value: one, label: say(`level.${one}`) }))}
        />
        <NativeSelect
          label={say("channels.language")}
          value={form.language}
          onChange={(event) => set({ language: event.currentTarget.value })}
          data={[
            { value: "en", label: say("channels.en") },
            { value: "zh", label: say("channels.zh") },
          ]}
        />
      </div>
      <div className="row">
        <Checkbox
          label={say("channels.default")}
          checked={form.isDefault}
          onChange={(event) => set({ isDefault: event.currentTarget.checked })}
        />
        <Checkbox
          label={say("channels.on")}
          checked={form.isOn}
          onChange={(event) => set({ isOn: event.currentTarget.checked })}
        />
      </div>
      {secrets.length > 0 && (
        <div>
          <p className="soft small">{say("channels.secrets_file")}</p>
          <Command text={secretsFile(secrets)} />
        </div>
      )}
      {name !== "" && (
        <FoldedCopyAs
          act={channelAct(written, namespace, { name, version, asked: asked("put_channel", asking) })}
        />
      )}
      {previewing.data && <Previewed messages={previewing.data.messages} />}
      {previewing.error && <ProblemBox error={previewing.error} />}
      {saving.data && <Tested result={saving.data} />}
      {saving.error && <ProblemBox error={saving.error} />}
      <div className="row">
        <Button loading={saving.isPending} disabled={name === ""} onClick={(event) => send(event, true)}>
          {say("channels.save_and_test")}
        </Button>
        <Button type="submit" variant="default" disabled={saving.isPending || name === ""}>
          {say("rules.save")}
        </Button>
        <Button variant="default" loading={previewing.isPending} onClick={() => previewing.mutate()}>
          {say("channels.preview")}
        </Button>
        <Button variant="default" onClick={close}>
          {say("do.close")}
        </Button>
      </div>
    </form>
  );
}

function Setting({
  field,
  value,
  set,
}: {
  field: SettingField;
  value: string;
  set: (value: string) => void;
}) {
  const say = useSay();
  const word = `chset.${field.name}`;
  const shown = {
    label: isWord(word) ? say(word) : <span translate="no">{field.name}</span>,
    required: field.isNeeded,
    value,
  };
  if (field.kind === "choice") {
    return (
      <NativeSelect {...shown} onChange={(event) => set(event.currentTarget.value)}>
        {!field.isNeeded && (
          <option value="" translate="no">
            {field.usual || "–"}
          </option>
        )}
        {field.choices.map((one) => (
          <option key={one} value={one} translate="no">
            {one}
          </option>
        ))}
      </NativeSelect>
    );
  }
  const isSecret = field.kind === "secret";
  const hints = { secret: "channels.secret_hint", list: "channels.list_hint" } as const;
  const hint = field.kind === "secret" || field.kind === "list" ? say(hints[field.kind]) : undefined;
  return (
    <TextInput
      {...shown}
      description={hint}
      placeholder={isSecret ? "NAME" : field.usual || field.example}
      translate="no"
      inputMode={field.kind === "number" ? "numeric" : "text"}
      pattern={isSecret ? "[A-Za-z_][A-Za-z0-9_.\\-]*" : undefined}
      leftSection={isSecret ? <span translate="no">$&#123;secret:</span> : undefined}
      leftSectionWidth={isSecret ? 76 : undefined}
      rightSection={isSecret ? <span translate="no">{"}"}</span> : undefined}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
