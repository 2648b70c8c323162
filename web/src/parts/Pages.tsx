/// A list that is read page by page: its items, what stands in their place when there are none, and the button for more.
import { Button } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSay } from "../words/say.ts";
import { Loaded } from "./Loaded.tsx";

interface Props<T> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>;
  empty: ReactNode;
  rows?: number;
  children: (items: T[]) => ReactNode;
}

export function Pages<T>({ query, empty, rows = 8, children }: Props<T>) {
  const say = useSay();
  return (
    <>
      <Loaded query={query} rows={rows}>
        {(found) => {
          const items = found.pages.flatMap((page) => page.items);
          return items.length === 0 ? empty : children(items);
        }}
      </Loaded>
      {query.hasNextPage && (
        <p>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {say("do.show_more")}
          </Button>
        </p>
      )}
    </>
  );
}
