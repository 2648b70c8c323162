/// Saved views: this page with its filters under a name, for oneself or for everybody.
import { ActionIcon, Checkbox, Menu, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/call.ts";
import { views } from "../api/queries.ts";
import type { ViewOut } from "../api/types.ts";
import { favouriteOf } from "../format/favourites.ts";
import { Icon } from "../look/Icon.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useRights } from "../parts/rights.ts";
import { tell } from "../parts/Toasts.tsx";
import { useSay } from "../words/say.ts";

export function Views() {
  const say = useSay();
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<"save" | ViewOut | null>(null);
  const { data } = useQuery({ ...views(), enabled: isOpen });
  const found = (data?.items ?? []).filter((view) => favouriteOf(view) === null);
  return (
    <>
      <Menu
        opened={isOpen}
        onChange={setOpen}
        transitionProps={{ duration: 0 }}
        position="bottom-end"
        withinPortal={false}
      >
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say("views.title")}
            title={say("views.title")}
          >
            <Icon name="views" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog("save")}>{say("views.save")}</Menu.Item>
          {found.length > 0 && <Menu.Divider />}
          {found.map((view) => (
            <Menu.Item key={`${view.shared} ${view.name}`} onClick={() => router.history.push(view.path)}>
              <Raw>{view.name}</Raw>{" "}
              {view.shared && <span className="soft small">{say("views.shared")}</span>}
            </Menu.Item>
          ))}
          {found.length > 0 && <Menu.Divider />}
          {found.map((view) => (
            <Menu.Item key={`${view.shared} ${view.name}`} onClick={() => setDialog(view)}>
              <span className="soft">
                {say("views.forget")} <Raw>{view.name}</Raw>
              </span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog === "save" && <SaveDialog close={() => setDialog(null)} />}
      {dialog !== null && dialog !== "save" && <ForgetDialog view={dialog} close={() => setDialog(null)} />}
    </>
  );
}

function SaveDialog({ close }: { close: () => void }) {
  const say = useSay();
  const rights = useRights();
  const client = useQueryClient();
  const { href } = useLocation();
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  return (
    <Confirm
      title={say("views.save")}
      says={say("views.says")}
      action={say("do.save")}
      hasReason={false}
      isOff={name.trim() === ""}
      close={close}
      change={async () => {
        await call("save_view", { path: { name: name.trim() }, body: { path: href, shared: isShared } });
        await client.invalidateQueries({ queryKey: ["views"] });
        tell(say("views.saved", { name: name.trim() }));
      }}
    >
      <TextInput
        label={say("views.name")}
        value={name}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      {rights.write && (
        <Checkbox
          label={say("views.for_all")}
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}

function ForgetDialog({ view, close }: { view: ViewOut; close: () => void }) {
  const say = useSay();
  return (
    <Confirm
      title={`${say("views.forget")} ${view.name}`}
      says={say(view.shared ? "views.forget_shared" : "views.forget_says")}
      action={say("views.forget")}
      hasReason={false}
      close={close}
      change={async () => {
        await call("remove_view", { path: { name: view.name }, query: { shared: view.shared } });
        tell(say("views.forgotten", { name: view.name }));
      }}
    />
  );
}
