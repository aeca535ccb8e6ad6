import { useState } from 'preact/hooks'
import { endSession } from '../api/session.js'
import { Button } from '../parts/Button.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'
import { SessionsDialog } from './SessionsDialog.js'
import { notificationState, switchNotifications } from './status/notifications.js'
import { ThemeSwitch } from './ThemeSwitch.js'

const notes = {
  on: 'Do not notify of new approvals',
  off: 'Notify of new approvals',
  forbidden: 'This browser blocks notifications. Allow them in its settings for this page',
} as const

/** What concerns the page itself: theme, notifications, sessions, and the way out. */
export function PageMenu() {
  const [isOpen, setOpen] = useState(false)
  const leave = () => endSession().catch((thrown: unknown) => toast(errorText(thrown), 'danger'))
  return (
    <div class="frame-tools">
      <ThemeSwitch />
      <Button
        variant="quiet"
        icon="bell"
        title={notes[notificationState.value]}
        aria-label="Notify of new approvals"
        aria-pressed={notificationState.value === 'on'}
        disabled={notificationState.value === 'forbidden'}
        onClick={() => void switchNotifications()}
      />
      <Button variant="quiet" icon="person" title="Sessions" aria-label="Sessions" onClick={() => setOpen(true)} />
      <Button variant="quiet" icon="leave" title="End this session" aria-label="End this session" onClick={() => void leave()} />
      {isOpen && <SessionsDialog onClose={() => setOpen(false)} />}
    </div>
  )
}
