/// The frame around every page: rail, header, live chip, search, keys, and the dialog of an ended session.
import { ActionIcon, Button, Menu, Modal, NativeSelect, useMantineColorScheme } from "@mantine/core";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { overview, whoami } from "../api/queries.ts";
import { logOut, noteGoodAnswer, useSession } from "../api/session.ts";
import { firingCount } from "../format/alerts.ts";
import type { Deed } from "../format/deeds.ts";
import { browserZone, clockTime, duration } from "../format/time.ts";
import { Follower } from "../live/Follower.tsx";
import { useLive, useReplicaAge } from "../live/status.ts";
import mark from "../look/foliot.svg";
import { Icon } from "../look/Icon.tsx";
import { needsOf } from "../pages/needs.ts";
import { Boundary } from "../parts/Boundary.tsx";
import { forgetDrafts } from "../parts/draft.ts";
import { useFocusBack } from "../parts/focus.ts";
import { lazyPart } from "../parts/lazyPart.tsx";
import { chooseZone, useNow, useOfferedZone, useZone } from "../parts/settings.ts";
import { Toasts } from "../parts/Toasts.tsx";
import { useSpeak } from "../parts/useSpeak.ts";
import { useLanguage, useSay, useUnits } from "../words/say.ts";
import { Crumbs } from "./Crumbs.tsx";
import { useKeys } from "./keys.ts";
import { Namespaces } from "./Namespaces.tsx";
import { MAIN, type Place, useMorePlaces } from "./places.ts";
import { useRecent } from "./recent.ts";
import { Search } from "./Search.tsx";
import { Where } from "./Where.tsx";

// Saved views and the login are not needed for the first sight of somebody who is logged in.
const LoginForm = lazyPart(async () => (await import("./Login.tsx")).LoginForm);
const LoginPage = lazyPart(async () => (await import("./Login.tsx")).LoginPage);
const DeedDialog = lazyPart(async () => (await import("./DeedDialog.tsx")).DeedDialog);
const Views = lazyPart(async () => (await import("./Views.tsx")).Views, {
  instead: (_, again) => <NoViews again={again} />,
});

export function Shell() {
  const isAtLogin = useLocation({ select: ({ pathname }) => pathname === "/login" });
  const navigate = useNavigate();
  const session = useSession();
  if (!isAtLogin && session.is !== "out") return <Inside />;
  const goOn = () => {
    if (isAtLogin) void navigate({ to: "/" });
  };
  return <LoginPage onIn={goOn} />;
}

/** The frame stays as it is from page to page: only what says where one is looks at the address. */
function Inside() {
  const say = useSay();
  const session = useSession();
  const [open, setOpen] = useState<"" | "search" | "keys">("");
  const [deed, setDeed] = useState<Deed | null>(null);
  const { data: who } = useQuery(whoami());
  useEffect(() => {
    if (who) noteGoodAnswer();
  }, [who]);
  useKeys(setOpen);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {say("nav.skip")}
      </a>
      <Rail />
      <Header onSearch={() => setOpen("search")} onKeys={() => setOpen("keys")} who={who?.name ?? ""} />
      <Where />
      <main className="main" id="main" tabIndex={-1}>
        <Shown />
      </main>
      {who && <Follower epoch={session.epoch} />}
      {open === "search" && <Search close={() => setOpen("")} act={setDeed} />}
      {deed && <DeedDialog deed={deed} close={() => setDeed(null)} />}
      {open === "keys" && <Keys close={() => setOpen("")} />}
      {session.is === "ended" && <EndedSession />}
      <Toasts />
    </div>
  );
}

function Shown() {
  // The page that is shown, not the one that is on its way: a page that broke is drawn until the next one is there.
  const shown = useRouterState({ select: (router) => router.resolvedLocation?.pathname ?? "" });
  useRecent(useLocation({ select: ({ pathname }) => pathname }));
  return (
    <Boundary at={shown}>
      <Outlet />
    </Boundary>
  );
}

function EndedSession() {
  const say = useSay();
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      title={say("login.title")}
      transitionProps={{ duration: 0 }}
      zIndex={500}
    >
      <LoginForm says={say("login.expired")} />
    </Modal>
  );
}

function Rail() {
  const say = useSay();
  const { data } = useQuery(overview(useZone()));
  const counts: Partial<Record<Place["to"], number>> = {
    "/": data ? needsOf(data).length : 0,
    "/alerts": firingCount(data?.alert_counts),
  };
  const more = useMorePlaces();
  const isMore = useLocation({
    select: ({ pathname }) => more.some((place) => pathname.startsWith(place.to)),
  });
  return (
    <nav className="rail" aria-label={say("nav.label")}>
      <div className="brand" translate="no">
        <img src={mark} alt="" />
        <span className="word">Foliot</span>
      </div>
      {MAIN.map((place) => (
        <RailItem key={place.to} place={place} count={counts[place.to] ?? 0} />
      ))}
      <div className="further">
        {more.map((place) => (
          <RailItem key={place.to} place={place} count={0} />
        ))}
      </div>
      <Menu position="top-end" transitionProps={{ duration: 0 }} withinPortal={false}>
        <Menu.Target>
          <button type="button" className="item onphone" aria-current={isMore ? "page" : undefined}>
            <Icon name="more" />
            {say("do.more")}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {more.map(({ to, icon, word }) => (
            <Menu.Item
              key={to}
              leftSection={<Icon name={icon} />}
              renderRoot={(props) => <Link to={to} {...props} />}
            >
              {say(word)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  );
}

function RailItem({ place, count }: { place: Place; count: number }) {
  const say = useSay();
  const { to, icon, word } = place;
  const isHere = useLocation({
    select: ({ pathname }) => (to === "/" ? pathname === "/" : pathname.startsWith(to)),
  });
  return (
    <Link to={to} className="item" aria-current={isHere ? "page" : undefined} title={say(word)}>
      <Icon name={icon} />
      <span className="word">{say(word)}</span>
      {count > 0 && <span className="count">{count}</span>}
    </Link>
  );
}

interface HeaderProps {
  onSearch: () => void;
  onKeys: () => void;
  who: string;
}

/** The zones that times can be shown in: of the browser, UTC, and on the page of a job that of its schedule. */
function useZones() {
  const say = useSay();
  const offered = useOfferedZone();
  const zones = [...new Set([browserZone(), "UTC"])].map((one) => ({ value: one, label: one }));
  if (offered !== "") zones.push({ value: offered, label: `${offered} ${say("head.zone_of_job")}` });
  return zones;
}

/** On a phone the switch has no room at the top: the menu of the account has it. */
function PhoneZones() {
  const say = useSay();
  const zones = useZones();
  return (
    <div className="onphone" role="group" aria-label={say("head.zone")}>
      <Menu.Label>{say("head.zone")}</Menu.Label>
      <Menu.RadioGroup value={useZone()} onChange={chooseZone}>
        {zones.map(({ value, label }) => (
          <Menu.RadioItem key={value} value={value} translate="no">
            {label}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
    </div>
  );
}

function Header({ onSearch, onKeys, who }: HeaderProps) {
  const say = useSay();
  const zone = useZone();
  const zones = useZones();
  const client = useQueryClient();
  return (
    <div className="head" role="region" aria-label={say("head.label")}>
      <button type="button" className="find" onClick={onSearch}>
        <Icon name="search" size={16} />
        <span>{say("head.search")}</span>
        <kbd translate="no">Ctrl K</kbd>
      </button>
      <Namespaces />
      <Crumbs />
      <span className="grow" />
      <NativeSelect
        className="zone"
        size="xs"
        variant="unstyled"
        translate="no"
        aria-label={say("head.zone")}
        value={zone}
        onChange={(event) => chooseZone(event.currentTarget.value)}
        data={zones}
      />
      <LiveChip />
      <Views />
      <Languages />
      <Themes />
      <Menu position="bottom-end" transitionProps={{ duration: 0 }} withinPortal={false}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say("head.account")}
            title={say("head.account")}
          >
            <Icon name="user" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <span translate="no">{who}</span>
          </Menu.Label>
          <PhoneZones />
          {/* What gets the focus: the zones above are not there but on a phone. */}
          <Menu.Item data-autofocus onClick={onKeys}>
            {say("head.keys")}
          </Menu.Item>
          <Menu.Item component="a" href="/api/docs">
            {say("head.api")}
          </Menu.Item>
          <Menu.Item onClick={() => void leave(client)}>{say("head.logout")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** Nothing that was read or written is there for the next person in this tab. */
async function leave(client: QueryClient): Promise<void> {
  await logOut();
  forgetDrafts();
  client.clear();
}

/** The place of the saved views when their part did not come: a press asks for it again. */
function NoViews({ again }: { again: () => void }) {
  const say = useSay();
  const label = say("views.away", { why: say("fail.part") });
  return (
    <ActionIcon variant="subtle" color="red" aria-label={label} title={label} onClick={again}>
      <Icon name="views" />
    </ActionIcon>
  );
}

function LiveChip() {
  const say = useSay();
  const units = useUnits();
  const live = useLive();
  const ageS = useReplicaAge();
  const now = useNow();
  const zone = useZone();
  let text = live.is === "waiting" ? "" : say(`live.${live.is}`);
  let spoken = text;
  if (live.is === "waiting") {
    const isLong = Date.now() - live.sinceMs > 30_000;
    const at = clockTime(new Date(live.sinceMs).toISOString(), zone, now);
    const seconds = Math.max(1, Math.round((live.untilMs - Date.now()) / 1000));
    text = isLong ? say("live.stale", { at }) : say("live.waiting", { in: duration(seconds, units) });
    spoken = isLong ? text : say("live.lost");
  }
  if (ageS !== null) {
    text = say("live.replica", { age: duration(ageS, units) });
    spoken = say("live.by_replica");
  }
  return (
    <>
      <span
        className="chip"
        data-is={live.is}
        data-old={ageS !== null || undefined}
        title={text}
        aria-hidden="true"
      >
        <i />
        <span>{text}</span>
      </span>
      {/* The seconds that count down are seen; what is read aloud changes with the state alone. */}
      <span className="hidden" role="status">
        {spoken}
      </span>
    </>
  );
}

function Languages() {
  const say = useSay();
  const speak = useSpeak();
  const language = useLanguage();
  const other = language === "en" ? "zh-CN" : "en";
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      lang={other}
      translate="no"
      onClick={() => void speak(other)}
    >
      {say("head.language")}
    </Button>
  );
}

const NEXT = { light: "dark", dark: "auto", auto: "light" } as const;
const LOOKS = {
  light: ["sun", "head.theme_light"],
  dark: ["moon", "head.theme_dark"],
  auto: ["system", "head.theme_system"],
} as const;

function Themes() {
  const say = useSay();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [icon, word] = LOOKS[colorScheme];
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={say(word)}
      title={say(word)}
      onClick={() => setColorScheme(NEXT[colorScheme])}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
}

function Keys({ close }: { close: () => void }) {
  useFocusBack();
  const say = useSay();
  const keys = [
    ["Ctrl K", "keys.search"],
    ["/", "keys.filter"],
    ["g o · g j · g r · g n · g a · g l · g m · g e · g b · g c · g p", "keys.go"],
    ["j · k · Enter", "keys.move"],
    ["↑ · ↓ · Enter", "keys.lines"],
    ["t · p", "keys.act"],
    ["l", "keys.log"],
    ["x · Esc", "keys.choose"],
    ["c", "keys.compare"],
    ["y", "keys.copy"],
    ["?", "keys.help"],
  ] as const;
  return (
    <Modal
      opened
      onClose={close}
      title={say("keys.title")}
      closeButtonProps={{ "aria-label": say("do.close") }}
      transitionProps={{ duration: 0 }}
    >
      <ul className="lines">
        {keys.map(([key, word]) => (
          <li key={key}>
            <kbd translate="no">{key}</kbd> {say(word)}
          </li>
        ))}
      </ul>
    </Modal>
  );
}
