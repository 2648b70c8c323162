/// What the session may do: what it may not is absent from the page.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { whoami } from "../api/queries.ts";

export interface Rights {
  run: boolean;
  write: boolean;
  admin: boolean;
}

export function useRights(): Rights {
  const { data } = useQuery(whoami());
  return useMemo(() => {
    const scopes = new Set(data?.scopes ?? []);
    const admin = scopes.has("admin");
    const isWhole = !data?.namespace && !data?.group;
    return { run: admin || scopes.has("run"), write: admin || scopes.has("write"), admin: admin && isWhole };
  }, [data]);
}
