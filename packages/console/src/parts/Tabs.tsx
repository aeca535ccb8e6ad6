import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'

export type Tab = { readonly id: string; readonly label: string; readonly count?: number }

type Props = {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly onChange: (id: string) => void
  readonly children: ComponentChildren
}

/** Tabs with arrow-key navigation. https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export function Tabs({ label, tabs, current, onChange, children }: Props) {
  const name = useId()
  function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
    const at = tabs.findIndex(({ id }) => id === current)
    const next = tabs[nextTab(event.key, at, tabs.length)]
    if (!next) return
    event.preventDefault()
    onChange(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.id}
            id={`${name}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === current}
            aria-controls={`${name}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-${current}`}>
        {children}
      </div>
    </div>
  )
}

function nextTab(key: string, at: number, count: number): number {
  if (key === 'ArrowRight') return (at + 1) % count
  if (key === 'ArrowLeft') return (at - 1 + count) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : -1
}
