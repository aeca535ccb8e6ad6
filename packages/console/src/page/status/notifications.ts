// Desktop notifications of new approvals while the page is in the background, if the user has enabled them.
import { signal } from '@preact/signals'
import { onGatewayEvents } from '../../api/event-feed.js'
import { readStored, store } from '../../api/local-storage.js'
import type { EventData } from '../../api/types.js'
import { markedText } from '../../parts/text/Text.js'
import { goTo } from '../route.js'

const kept = 'toolwire-notify'
const canNotify = 'Notification' in globalThis

export type NotificationState = 'on' | 'off' | 'forbidden'
export const notificationState = signal<NotificationState>(read())

function read(): NotificationState {
  if (!canNotify || Notification.permission === 'denied') return 'forbidden'
  return Notification.permission === 'granted' && readStored(kept) === 'on' ? 'on' : 'off'
}

/** Switches notifications on or off; asks the browser for permission if needed. */
export async function switchNotifications(): Promise<void> {
  store(kept, notificationState.value === 'on' ? 'off' : 'on')
  if (canNotify && notificationState.value === 'off') await Notification.requestPermission()
  notificationState.value = read()
}

const gatheredMs = 400

/** Shows desktop notifications of new approvals until the signal aborts; several at once share one. */
export function notifyOfApprovals(ended: AbortSignal): void {
  const asked = new Map<string, EventData['approval']>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: Notification | undefined
  function tell(): void {
    timer = undefined
    if (asked.size > 0 && read() === 'on' && !document.hasFocus()) shown = notificationOf([...asked.values()])
    asked.clear()
  }
  function onApproval(event: EventData['approval']): void {
    if (event.what === 'asked') asked.set(event.id, event)
    else asked.delete(event.id)
    timer ??= setTimeout(tell, gatheredMs)
  }
  onGatewayEvents(['approval'], onApproval, ended)
  // Another tab has switched them.
  const onStorage = ({ key }: StorageEvent) => {
    if (key === kept) notificationState.value = read()
  }
  addEventListener('storage', onStorage, { signal: ended })
  ended.addEventListener('abort', () => {
    clearTimeout(timer)
    shown?.close()
  })
}

/** The names are untrusted and a notification cannot show marks, so hidden characters are written out. */
function notificationOf(asked: readonly EventData['approval'][]): Notification {
  const [first] = asked
  const one = asked.length === 1 && first ? first : undefined
  const title = one ? `${markedText(one.tool ?? 'A call')} needs your decision` : `${asked.length} calls need your decision`
  const body = one?.caller === undefined ? '' : `Called by ${markedText(one.caller)}`
  const made = new Notification(title, { body, tag: 'toolwire-approvals', icon: './icon.svg' })
  made.onclick = () => {
    focus()
    goTo(one ? ['approvals', one.id] : ['approvals'])
    made.close()
  }
  return made
}
