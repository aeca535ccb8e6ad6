import type { ComponentChildren } from 'preact'
import type { Outlook } from '../api/types.js'

export type Tone = 'neutral' | 'ok' | 'info' | 'warning' | 'danger'

/** The tone of each decision. */
export const decisionTones: Readonly<Record<Outlook, Tone>> = { allow: 'ok', ask: 'info', deny: 'warning', depends: 'neutral' }

export const Badge = ({ tone = 'neutral', title, children }: { tone?: Tone; title?: string; children: ComponentChildren }) => (
  <span class={`badge ${tone}`} title={title}>
    {children}
  </span>
)
