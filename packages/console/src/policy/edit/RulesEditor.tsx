import { useEffect, useMemo, useRef } from 'preact/hooks'

type Props = {
  readonly text: string
  readonly problems: readonly { readonly line?: number; readonly message: string }[]
  /** The line to go to; each new object moves the cursor again. */
  readonly goTo: { readonly at: number } | undefined
  readonly onChange: (text: string) => void
}

const mostLines = 30

/** The text with line numbers; lines with a problem are marked. */
export function RulesEditor({ text, problems, goTo, onChange }: Props) {
  const place = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const count = lineCount(text)
  const wrong = new Set(problems.map(({ line }) => line))
  const lines = useMemo(() => numbered(count, wrong), [count, [...wrong].join()])
  useEffect(() => {
    const area = place.current
    if (!goTo || !area) return
    const { from, to } = lineSpan(area.value, goTo.at)
    area.focus()
    area.setSelectionRange(from, to)
    area.scrollTop = (area.scrollHeight / lineCount(area.value)) * Math.max(0, goTo.at - 5)
  }, [goTo])
  return (
    <div class="rules-text mono">
      <div class="line-numbers" aria-hidden="true" ref={numbers}>
        {lines}
      </div>
      <textarea
        ref={place}
        aria-label="Text of the rules"
        aria-describedby="rules-problems"
        aria-invalid={wrong.size > 0 || undefined}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        rows={Math.min(mostLines, Math.max(12, count + 1))}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (numbers.current) numbers.current.scrollTop = currentTarget.scrollTop
        }}
      />
    </div>
  )
}

const numbered = (count: number, wrong: ReadonlySet<number | undefined>) =>
  Array.from({ length: count }, (_, index) => (
    <span key={index} class={wrong.has(index + 1) ? 'wrong' : undefined}>
      {index + 1}
    </span>
  ))

export const lineCount = (text: string): number => text.split('\n').length

/** The first and last position of a line, counted from 1; of the last line if there are fewer. */
export function lineSpan(text: string, line: number): { readonly from: number; readonly to: number } {
  let from = 0
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', from)
    if (end < 0) break
    from = end + 1
  }
  const end = text.indexOf('\n', from)
  return { from, to: end < 0 ? text.length : end }
}
