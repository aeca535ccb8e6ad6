import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { Icon } from '../../parts/Icon.js'
import { Text } from '../../parts/text/Text.js'
import { goToNext } from '../decide/use-decision.js'
import { type Ending, endingTexts } from '../endings.js'
import { queue } from '../queue/follow-queue.js'
import { nextPending } from '../queue/queue.js'

type Props = { readonly id: string; readonly ending: Ending }

/** The outcome of the call and the way to the next one, in place of the decision buttons. */
export function CallEnding({ id, ending: { what, by, why, here } }: Props) {
  const isLast = nextPending(queue.value, id) === undefined
  const place = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The button that had the focus is gone. The heading has the focus where the view was opened with a link.
    const focused = document.activeElement
    if (focused === document.body || (here && focused?.localName === 'h1')) place.current?.focus()
  }, [])
  return (
    <>
      <p class={`ended-note notice tinted cluster ${endingTexts[what].tone}`} role="status" tabIndex={-1} ref={place}>
        <Icon name={what === 'allowed' ? 'check' : what === 'denied' ? 'cross' : 'clock'} />
        <span>
          {endingTexts[what].sentence}
          {here ? ' by you' : <Text before=" by " of={by} />}
          <Text before=": " of={why} />. {isLast && <span class="muted">No other call is pending.</span>}
        </span>
      </p>
      {!isLast && (
        <div class="cluster">
          <Button onClick={() => goToNext(id)}>Next call</Button>
        </div>
      )}
    </>
  )
}
