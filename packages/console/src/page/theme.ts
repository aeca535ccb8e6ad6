import { computed, effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const kept = 'toolwire-theme'

export const theme = signal<Theme>(themes.find((name) => name === localStorage.getItem(kept)) ?? 'system')

const machine = matchMedia('(prefers-color-scheme: dark)')
const machineIsDark = signal(machine.matches)

/** Whether the page is dark now. */
export const isDark = computed(() => (theme.value === 'system' ? machineIsDark.value : theme.value === 'dark'))

/** Keeps the page in its theme. */
export function followTheme(): void {
  machine.addEventListener('change', ({ matches }) => {
    machineIsDark.value = matches
  })
  effect(() => {
    localStorage.setItem(kept, theme.value)
    if (theme.value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme.value
  })
}
