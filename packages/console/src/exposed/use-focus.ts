import { useEffect, useRef } from 'preact/hooks'

/**
 * Where there is room for the list or for a tool only, the focus would be lost with what makes room: it goes to the tool that is shown,
 * and back to where it was in the list.
 */
export function useFocus(chosen: string | undefined): void {
  const before = useRef(chosen)
  useEffect(() => {
    const last = before.current
    before.current = chosen
    if (last === chosen || !matchMedia('(max-width: 52rem)').matches) return
    const place = chosen === undefined ? lineOf(last) : document.getElementById('tool-name')
    place?.focus()
  }, [chosen])
}

const lineOf = (name: string | undefined): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('.tool-line')].find((line) => line.dataset.tool === name)
