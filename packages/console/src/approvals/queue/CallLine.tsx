import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Approval } from '../../api/types.js'
import { markedText, shortened } from '../../parts/text/Text.js'
import { Countdown } from '../../parts/time/Time.js'
import { isUnreadable } from '../decide/use-decision.js'
import { endingTexts } from '../endings.js'
import type { QueueEntry } from './queue.js'

type Props = { readonly entry: QueueEntry; readonly isChosen: boolean; readonly onChoose: (id: string) => void }

const mostShown = 120

export function CallLine({ entry: { approval, ending }, isChosen, onChoose }: Props) {
  const place = useRef<HTMLButtonElement>(null)
  const beginning = useMemo(() => beginningOf(approval), [approval])
  useEffect(() => {
    if (!isChosen) return
    place.current?.scrollIntoView({ block: 'nearest' })
    // Keyboard navigation through the list moves the focus too.
    if (document.activeElement?.closest('[data-queue] li')) place.current?.focus({ preventScroll: true })
  }, [isChosen])
  return (
    <li>
      <button
        type="button"
        ref={place}
        class={ending ? 'call-line ended' : 'call-line'}
        aria-current={isChosen || undefined}
        onClick={() => onChoose(approval.id)}
      >
        <bdi class="mono call-line-arguments">{beginning}</bdi>
        {ending ? (
          <span class="call-line-ending">{endingTexts[ending.what].name}</span>
        ) : (
          <Countdown until={approval.expiresAt} />
        )}
      </button>
    </li>
  )
}

function beginningOf(approval: Approval): string {
  if (isUnreadable(approval)) return 'arguments that cannot be read'
  const entries = Object.entries(approval.arguments)
  if (entries.length === 0) return 'no arguments'
  let text = ''
  for (const [name, value] of entries) {
    if (text.length > mostShown) break
    const written = typeof value === 'string' ? value.slice(0, mostShown) : JSON.stringify(value).slice(0, mostShown)
    text += `${text && '  '}${markedText(name.slice(0, mostShown))}=${markedText(written).replaceAll('\n', ' ')}`
  }
  return shortened(text, mostShown)
}
