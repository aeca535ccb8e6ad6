/** Colours as the page has them now: a canvas knows no variables of CSS. */
export type Colours = { readonly lines: readonly string[]; readonly ink: string; readonly grid: string }

export function coloursOf(place: HTMLElement): Colours {
  const read = (name: string) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${name})`
    place.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  return {
    lines: Array.from({ length: 9 }, (_, at) => read(`--chart-${at}`)),
    ink: read('--muted'),
    grid: read('--line'),
  }
}
