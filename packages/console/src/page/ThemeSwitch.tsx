import { Icon } from '../parts/Icon.js'
import { theme, themes } from './theme.js'

const icons = { system: 'screen', light: 'sun', dark: 'moon' } as const
const labels = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

/** Light, dark, or as the system has it. */
export const ThemeSwitch = () => (
  <fieldset class="theme-switch">
    <legend class="out-of-sight">Theme</legend>
    {themes.map((name) => (
      <label key={name} title={labels[name]} class={theme.value === name ? 'chosen' : undefined}>
        <input
          type="radio"
          name="theme"
          class="out-of-sight"
          checked={theme.value === name}
          onChange={() => {
            theme.value = name
          }}
        />
        <Icon name={icons[name]} />
        <span class="out-of-sight">{labels[name]}</span>
      </label>
    ))}
  </fieldset>
)
