import type { ComponentChildren } from 'preact'

export type Tone = 'neutral' | 'ok' | 'info' | 'warning' | 'danger'

/** A word or two that says what something is. */
export const Badge = ({ tone = 'neutral', title, children }: { tone?: Tone; title?: string; children: ComponentChildren }) => (
  <span class={`badge ${tone}`} title={title}>
    {children}
  </span>
)
