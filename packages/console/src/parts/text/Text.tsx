import { markedText, textPieces } from './hidden-characters.js'

export { markedText, shortened, textPieces } from './hidden-characters.js'

type Props = {
  /** Somebody else's words; nothing is shown where there are none. */
  readonly of: string | null | undefined
  /** Words of ours before them, shown only with them. */
  readonly before?: string
  readonly mono?: boolean
  /** Cut at the end of the line with an ellipsis; the whole stands in its tooltip. */
  readonly line?: boolean
  readonly class?: string
}

/** Text from a server, a caller or a file: never markup, and nothing in it is invisible or changes what stands around it. */
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

/** Such a text as a paragraph; nothing where there is none. */
export const Paragraph = ({ class: own, ...text }: ParagraphProps) =>
  text.of ? (
    <p class={own}>
      <Text {...text} />
    </p>
  ) : null

/** Most texts hold nothing but what can be seen. */
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
