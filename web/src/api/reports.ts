/// What the page of reports reads. Keys of schedules begin with `reports`: a change of one makes them stale.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./call.ts";

export interface ReportWanted {
  kind: "daily" | "weekly";
  /** A day of the period; none: the last period that is over. */
  date?: string | undefined;
  tz: string;
  /** None: all that the session sees. */
  namespace?: string | undefined;
}

// Counting a period reads many figures: it is read anew by time, not with each change.
export const report = (wanted: ReportWanted) =>
  queryOptions({
    queryKey: ["report", wanted],
    queryFn: ({ signal }) => {
      const { kind, date = "", tz, namespace = "" } = wanted;
      return call("get_report", { path: { kind }, query: { date, tz, namespace }, signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

export const reportSchedules = () =>
  queryOptions({
    queryKey: ["reports", "schedules"],
    queryFn: ({ signal }) => call("list_report_schedules", { query: { limit: 200 }, signal }),
    refetchInterval: 60_000,
  });
