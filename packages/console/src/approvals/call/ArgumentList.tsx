import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { countText, sizeText } from '../../parts/count-text.js'
import { Icon } from '../../parts/Icon.js'
import { Argument } from './Argument.js'
import type { ArgumentChange } from './argument-changes.js'
import { maxCountedHidden } from './argument-pieces.js'
import { unseenPieces } from './seen-blocks.js'
import type { Reading } from './use-reading.js'

type Props = {
  readonly reading: Reading
  readonly changes: readonly ArgumentChange[] | undefined
  /** The reason why the arguments cannot be shown, in place of them. */
  readonly unreadable: string | undefined
}

/** All arguments, exactly as they will be sent. */
export function ArgumentList({ reading, changes, unreadable }: Props) {
  const { pieces, seen, showRest } = reading
  const { all, count, bytes, mustBeSeen, hidden } = pieces
  return (
    <section class="arguments-as-sent stack" aria-labelledby="arguments-as-sent">
      <header class="cluster baseline">
        <h3 id="arguments-as-sent">Arguments as sent</h3>
        {unreadable === undefined && (
          <span class="muted little">
            {countText(count, 'argument')}, {sizeText(bytes)}
          </span>
        )}
        {hidden > 0 && (
          <Badge tone="warning">
            {hidden < maxCountedHidden ? countText(hidden, 'hidden character') : 'very many hidden characters'} marked
          </Badge>
        )}
      </header>
      {mustBeSeen && <ReadFirst left={unseenPieces(pieces, seen)} onRest={showRest} />}
      {all.length === 0 && <p class="muted">{unreadable ?? 'The call has no arguments.'}</p>}
      {all.map((piece, index) => (
        <Argument
          key={index}
          piece={piece}
          index={index}
          change={changes?.find(({ name }) => name === piece.name)}
          reading={reading}
        />
      ))}
    </section>
  )
}

const ReadFirst = ({ left, onRest }: { readonly left: number; readonly onRest: () => void }) => (
  <p class={`read-first notice tinted cluster ${left > 0 ? 'warning' : 'ok done'}`} role="status">
    <Icon name={left > 0 ? 'eye' : 'check'} />
    <span>
      {left > 0
        ? `The arguments are long. You can allow the call after you have seen all of them: ${countText(left, 'argument')} left.`
        : 'You have seen all arguments.'}
    </span>
    {left > 0 && (
      <Button small onClick={onRest}>
        Show the rest <kbd>u</kbd>
      </Button>
    )}
  </p>
)
