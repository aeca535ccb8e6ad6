import { useState } from 'preact/hooks'
import { endSession } from '../api/session.js'
import { Button } from '../parts/Button.js'
import { Icon } from '../parts/Icon.js'
import { WorkButton } from '../parts/WorkButton.js'
import { SessionsDialog } from './SessionsDialog.js'
import { notificationState, switchNotifications } from './status/notifications.js'
import { currentTheme, themes } from './theme.js'

const notes = {
  on: 'Do not notify of new approvals',
  off: 'Notify of new approvals',
  forbidden: 'This browser blocks notifications. Allow them in its settings for this page',
} as const

/** The menu of the page itself: theme, notifications, sessions, and signing out. */
export function PageMenu() {
  const [isOpen, setOpen] = useState(false)
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
      <WorkButton variant="quiet" icon="leave" title="End this session" aria-label="End this session" work={endSession} />
      {isOpen && <SessionsDialog onClose={() => setOpen(false)} />}
    </div>
  )
}

const icons = { system: 'screen', light: 'sun', dark: 'moon' } as const
const labels = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

const ThemeSwitch = () => (
  <fieldset class="theme-switch">
    <legend class="out-of-sight">Theme</legend>
    {themes.map((name) => (
      <label key={name} title={labels[name]} class={currentTheme.value === name ? 'chosen' : undefined}>
        <input
          type="radio"
          name="theme"
          class="out-of-sight"
          checked={currentTheme.value === name}
          onChange={() => {
            currentTheme.value = name
          }}
        />
        <Icon name={icons[name]} />
        <span class="out-of-sight">{labels[name]}</span>
      </label>
    ))}
  </fieldset>
)
