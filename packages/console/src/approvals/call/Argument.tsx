import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { sizeText } from '../../parts/count-text.js'
import { Text } from '../../parts/text/Text.js'
import type { ArgumentChange } from './argument-changes.js'
import type { ArgumentPiece } from './argument-pieces.js'
import { blockName, isPieceSeen, type SeenBlocks } from './seen-blocks.js'
import type { Reading } from './use-reading.js'

type Props = {
  readonly piece: ArgumentPiece
  readonly index: number
  readonly change: ArgumentChange | undefined
  readonly reading: Reading
}

const shownFolded = 240
/** Number of blocks rendered ahead of the last one seen, so that a text of megabytes is rendered in steps. */
const ahead = 6

/** One argument with its value; a long value is folded until the user unfolds it. */
export function Argument({ piece, index, change, reading: { pieces, seen, watch, unfolded, unfold } }: Props) {
  const { name, kind, text, bytes, blocks } = piece
  const { mustBeSeen } = pieces
  const isFolded = piece.isFolded && !unfolded.has(index)
  return (
    <div class="sent-argument stack close start">
      <div class="argument-name cluster baseline">
        <h4>
          <Text of={name} mono />
        </h4>
        <span class="muted little">{kind}</span>
        {bytes > 200 && <span class="muted little">{sizeText(bytes)}</span>}
        {change && <Badge tone="info">{change.kind === 'added' ? 'new' : 'changed'}</Badge>}
        {mustBeSeen && isPieceSeen(pieces, index, seen) && <Badge tone="ok">seen</Badge>}
      </div>
      <pre class={isFolded ? 'argument-value sunken folded' : 'argument-value sunken'}>
        {isFolded ? (
          <Text of={text.slice(0, shownFolded)} mono />
        ) : (
          blocks.slice(0, mustBeSeen ? firstUnseenOf(index, blocks.length, seen) + ahead : undefined).map((block, at) => (
            <span key={at}>
              {text === '' ? <span class="muted">empty</span> : <Text of={block} mono />}
              {mustBeSeen && <i class="block-end" data-block={blockName(index, at)} ref={watch} />}
            </span>
          ))
        )}
      </pre>
      {piece.isFolded && (
        <Button small variant={isFolded ? 'plain' : 'quiet'} aria-expanded={!isFolded} onClick={() => unfold(index, isFolded)}>
          {isFolded ? `Show all: ${sizeText(bytes)}` : 'Collapse'}
        </Button>
      )}
    </div>
  )
}

function firstUnseenOf(index: number, count: number, seen: SeenBlocks): number {
  for (let at = 0; at < count; at++) if (!seen.has(blockName(index, at))) return at
  return count
}
