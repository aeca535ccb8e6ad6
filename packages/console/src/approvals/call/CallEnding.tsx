import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/Icon.js'
import { Text } from '../../parts/text/Text.js'
import { type Ending, endingTexts } from '../endings.js'

/** The outcome of the call, in place of the decision buttons. */
export function CallEnding({ ending: { what, by, why, here } }: { readonly ending: Ending }) {
  const place = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The button that had the focus is gone.
    if (document.activeElement === document.body) place.current?.focus()
  }, [])
  return (
    <p class={`ended-note notice tinted cluster ${endingTexts[what].tone}`} role="status" tabIndex={-1} ref={place}>
      <Icon name={what === 'allowed' ? 'check' : what === 'denied' ? 'cross' : 'clock'} />
      <span>
        {endingTexts[what].sentence}
        {here ? ' by you' : <Text before=" by " of={by} />}
        <Text before=": " of={why} />. <span class="muted">Nothing is left to decide.</span>
      </span>
    </p>
  )
}
