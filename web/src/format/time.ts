/// Instants and durations for people. The exact value stands beside each short one, in a title.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Units {
  ms: string;
  s: string;
  m: string;
  h: string;
  d: string;
}

export const ENGLISH_UNITS: Units = { ms: "ms", s: "s", m: "m", h: "h", d: "d" };
export const CHINESE_UNITS: Units = { ms: "毫秒", s: "秒", m: "分", h: "小时", d: "天" };

/** `2 m 14 s`: the two largest parts, and milliseconds below a second. */
export function duration(seconds: number, units: Units = ENGLISH_UNITS): string {
  const abs = Math.abs(seconds);
  if (abs === 0) return `0 ${units.s}`;
  if (abs < 1) return `${Math.max(1, Math.round(abs * 1000))} ${units.ms}`;
  if (abs < 10) return `${trimmed(abs)} ${units.s}`;
  const whole = Math.round(abs);
  if (whole < MINUTE) return `${whole} ${units.s}`;
  if (whole < HOUR) return pair(whole, MINUTE, units.m, 1, units.s);
  if (whole < DAY) return pair(whole, HOUR, units.h, MINUTE, units.m);
  return pair(whole, DAY, units.d, HOUR, units.h);
}

function trimmed(seconds: number): string {
  return String(Math.round(seconds * 10) / 10);
}

function pair(whole: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const first = Math.floor(whole / large);
  const second = Math.floor((whole - first * large) / small);
  return second === 0 ? `${first} ${largeUnit}` : `${first} ${largeUnit} ${second} ${smallUnit}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const KNOWN_MAX = 2000;
const known = new Map<string, Record<string, string>>();

/** What a clock in the zone shows at an instant, part by part. Lists ask for the same instants each second. */
export function partsOf(at: number, zone: string): Record<string, string> {
  const key = `${at} ${zone}`;
  const before = known.get(key);
  if (before) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const parts = readParts(at, zone);
  known.set(key, parts);
  return parts;
}

function readParts(at: number, zone: string): Record<string, string> {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    formats.set(zone, format);
  }
  return Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
}

/** `14:02:20` today, `11-17 02:00:00` in this year, with the year otherwise. */
export function clockTime(iso: string, zone: string, nowMs: number): string {
  const at = partsOf(Date.parse(iso), zone);
  const now = partsOf(nowMs, zone);
  const time = `${at.hour}:${at.minute}:${at.second}`;
  if (at.year !== now.year) return `${at.year}-${at.month}-${at.day} ${time}`;
  const isToday = at.month === now.month && at.day === now.day;
  return isToday ? time : `${at.month}-${at.day} ${time}`;
}

/** The whole instant in a zone, as it is copied: `2026-11-16 14:02:20.021 Asia/Shanghai`. */
export function exactTime(iso: string, zone: string): string {
  const at = partsOf(Date.parse(iso), zone);
  const fraction = /\.(\d{1,3})/.exec(iso)?.[1];
  const ms = fraction ? `.${fraction.padEnd(3, "0")}` : "";
  return `${at.year}-${at.month}-${at.day} ${at.hour}:${at.minute}:${at.second}${ms} ${zone}`;
}

/** Seconds from now until an instant; negative for the past. */
export function secondsUntil(iso: string, nowMs: number): number {
  return (Date.parse(iso) - nowMs) / 1000;
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** `48 210`: thousands apart, so that the eye counts. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value === 100 || value === 0 ? value : Math.min(99.9, Math.round(value * 10) / 10)} %`;
}
