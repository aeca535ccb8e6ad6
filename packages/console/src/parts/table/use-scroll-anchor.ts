import { useLayoutEffect, useRef } from 'preact/hooks'

type ScrollAnchorOptions<T> = {
  readonly place: { readonly current: HTMLElement | null }
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string | number
  readonly height: number
}

/** Rows that come in above do not move what somebody is reading. */
export function useScrollAnchor<T>({ place, rows, keyOf, height }: ScrollAnchorOptions<T>): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const { current } = place
    const at = Math.floor((current?.scrollTop ?? 0) / height)
    const top = before.current[at]
    before.current = rows
    // At the top somebody looks at what is new.
    if (!current || current.scrollTop === 0 || top === undefined) return
    const now = rows.findIndex((row) => keyOf(row) === keyOf(top))
    if (now >= 0 && now !== at) current.scrollTop += (now - at) * height
  }, [rows])
}
