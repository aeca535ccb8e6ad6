import { markedText, textPieces } from './hidden-characters.js'

type Props = {
  /** Somebody else's words. */
  readonly of: string
  readonly mono?: boolean
  /** Cut at the end of the line with an ellipsis; the whole stands in its tooltip. */
  readonly line?: boolean
  readonly class?: string
}

/** Text from a server, a caller or a file: never markup, and nothing in it is invisible or changes what stands around it. */
export function Text({ of, mono, line, class: more }: Props) {
  const classes = ['text', mono && 'mono', line && 'line', more].filter(Boolean).join(' ')
  return (
    <bdi class={classes} title={line ? markedText(of) : undefined}>
      {markHidden(of)}
    </bdi>
  )
}

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
