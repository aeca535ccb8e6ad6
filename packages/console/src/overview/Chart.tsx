import { useLayoutEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { isDark } from '../page/theme.js'
import { alignedData, type Colours, type PlotInput, plotOptions } from './plot.js'

type Props = Omit<PlotInput, 'colours'> & {
  /** Describes the chart to screen readers. */
  readonly label: string
}

const height = 190

/** Resolves CSS variables, which a canvas cannot use. */
function coloursOf(place: HTMLElement): Colours {
  const read = (name: string) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${name})`
    place.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  const lines = Array.from({ length: 9 }, (_, at) => read(`--chart-${at}`))
  return { lines, ink: read('--muted'), grid: read('--line') }
}

export function Chart({ data, look, words, onHover, label }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const latest = useRef(data)
  latest.current = data
  const dark = isDark.value
  const keys = data.lines.map(({ key }) => key).join('\n')
  // New lines or colours need a new chart; new values only a redraw.
  useLayoutEffect(() => {
    const { current } = place
    if (!current) return
    const size = { width: current.clientWidth, height }
    const options = plotOptions({ data: latest.current, look, colours: coloursOf(current), words, onHover }, size)
    const made = new uPlot(options, alignedData(latest.current, look), current)
    plot.current = made
    const watching = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }))
    watching.observe(current)
    return () => {
      watching.disconnect()
      made.destroy()
    }
  }, [keys, dark])
  useLayoutEffect(() => {
    // After the effect above has made a new chart, this changes nothing visible.
    if (plot.current?.series.length === data.lines.length + 1) plot.current.setData(alignedData(data, look))
  }, [data])
  return <div class="chart" role="img" aria-label={label} ref={place} />
}
