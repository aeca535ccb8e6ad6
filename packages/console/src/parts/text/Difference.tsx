import { useMemo, useState } from 'preact/hooks'
import type { Json } from '../../api/types.js'
import { Button } from '../Button.js'
import { type DiffStretch, foldUnchanged } from './fold-unchanged.js'
import { commonEnds, type DiffLine, lineDifference } from './line-difference.js'
import { markHidden } from './Text.js'

type Props = {
  /** Texts, or JSON values to compare as text. */
  readonly before: Json
  readonly after: Json
  readonly labels?: readonly [string, string]
}

/** The difference between two texts by line, with hidden characters marked. Unchanged stretches are folded. */
export function Difference({ before, after, labels = ['before', 'after'] }: Props) {
  const [old, young] = comparedTexts(before, after)
  const stretches = useMemo(() => foldUnchanged(lineDifference(old, young)), [old, young])
  if (old === young) return <p class="muted">There is no difference.</p>
  return (
    <div class="difference">
      <p class="difference-key little">
        <span class="removed">− {labels[0]}</span> <span class="added">+ {labels[1]}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard */}
      <section class="difference-lines sunken mono" tabIndex={0} aria-label={`Difference, ${labels[0]} and ${labels[1]}`}>
        {stretches.map((stretch) => (
          <Lines key={stretch.from} stretch={stretch} />
        ))}
      </section>
    </div>
  )
}

/** Two texts as they are; any other two values as JSON, because the text "true" and the value true differ. */
export const comparedTexts = (before: Json, after: Json): readonly [string, string] =>
  typeof before === 'string' && typeof after === 'string' ? [before, after] : [jsonOf(before), jsonOf(after)]

/** Sorts keys, so that their order makes no difference. */
const jsonOf = (value: Json): string => JSON.stringify(sorted(value), null, 2)

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]))
}

function Lines({ stretch: { folded, lines } }: { stretch: DiffStretch }) {
  const [isOpen, setOpen] = useState(!folded)
  if (!isOpen)
    return (
      <Button variant="quiet" small class="difference-fold" onClick={() => setOpen(true)}>
        {lines.length} lines are the same: show them
      </Button>
    )
  return lines.map((line, at) => <Line key={at} line={line} other={partnerOf(lines, at)} />)
}

/** The text of the line that replaces a single changed line, or is replaced by it. */
function partnerOf(lines: readonly DiffLine[], at: number): string | undefined {
  const kind = lines[at]?.kind
  if (kind === 'same' || kind === undefined) return undefined
  const partner = lines[kind === 'removed' ? at + 1 : at - 1]
  const beyond = lines[kind === 'removed' ? at - 1 : at + 1]
  const after = lines[kind === 'removed' ? at + 2 : at - 2]
  if (!partner || partner.kind === kind || partner.kind === 'same') return undefined
  return beyond?.kind === kind || after?.kind === partner.kind ? undefined : partner.text
}

const signs = { same: ' ', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const

function Line({ line: { kind, text }, other }: { line: DiffLine; other: string | undefined }) {
  const around = other === undefined ? undefined : commonEnds(text, other)
  const middle = around && text.slice(around.start, text.length - around.end)
  return (
    <div class={`difference-line ${kind}`}>
      <span class="difference-sign" aria-hidden="true">
        {signs[kind]}
      </span>
      <span class="out-of-sight">{words[kind]}</span>
      <bdi class="text">
        {around && middle ? (
          <>
            {markHidden(text.slice(0, around.start))}
            <strong>{markHidden(middle)}</strong>
            {markHidden(text.slice(text.length - around.end))}
          </>
        ) : (
          markHidden(text)
        )}
      </bdi>
    </div>
  )
}
