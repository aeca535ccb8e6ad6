import { computed, effect, signal } from '@preact/signals'
import { readStored, store } from '../api/local-storage.js'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'toolwire-theme'

export const currentTheme = signal<Theme>(themes.find((name) => name === readStored(storageKey)) ?? 'system')

const machine = matchMedia('(prefers-color-scheme: dark)')
const machineIsDark = signal(machine.matches)

export const isDark = computed(() => (currentTheme.value === 'system' ? machineIsDark.value : currentTheme.value === 'dark'))

export function followTheme(): void {
  machine.addEventListener('change', ({ matches }) => {
    machineIsDark.value = matches
  })
  effect(() => {
    store(storageKey, currentTheme.value)
    if (currentTheme.value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = currentTheme.value
  })
}
