import { markedText, textPieces } from './hidden-characters.js'

export { markedText, shortened, textPieces } from './hidden-characters.js'

type Props = {
  /** Untrusted text; nothing is shown if it is missing. */
  readonly of: string | null | undefined
  /** Our own words before the text, shown only with it. */
  readonly before?: string
  readonly mono?: boolean
  /** Cuts the text at the end of the line; the tooltip has all of it. */
  readonly line?: boolean
  readonly class?: string
}

/** Untrusted text from a server, a caller or a file. It is never markup, and hidden characters are marked. */
export function Text({ of, before, mono, line, class: more }: Props) {
  if (of === undefined || of === null) return null
  const classes = ['text', mono && 'mono', line && 'line', more].filter(Boolean).join(' ')
  return (
    <>
      {before}
      <bdi class={classes} title={line ? markedText(of) : undefined}>
        {markHidden(of)}
      </bdi>
    </>
  )
}

type ParagraphProps = Pick<Props, 'of' | 'before' | 'mono' | 'class'>

/** Untrusted text as a paragraph; nothing if it is missing or empty. */
export const Paragraph = ({ class: own, ...text }: ParagraphProps) =>
  text.of ? (
    <p class={own}>
      <Text {...text} />
    </p>
  ) : null

/** Most texts have visible ASCII characters only. */
const plain = /^[\n\t -~]*$/

export const markHidden = (text: string) =>
  plain.test(text)
    ? text
    : textPieces(text).map((piece, at) =>
        'mark' in piece ? (
          <mark class="hidden-character" title={piece.name} key={at}>
            {piece.mark}
          </mark>
        ) : (
          piece.text
        ),
      )
