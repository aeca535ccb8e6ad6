import { Icon } from '../parts/Icon.js'
import { currentTheme, themes } from './theme.js'

const icons = { system: 'screen', light: 'sun', dark: 'moon' } as const
const labels = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

/** Light, dark, or as the system has it. */
export const ThemeSwitch = () => (
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
