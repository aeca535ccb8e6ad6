import type { ComponentChildren } from 'preact'

type Props = {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A view with its `h1`. Headings inside begin with `h2`. */
export const View = ({ title, lead, actions, children }: Props) => (
  <div class="view stack far">
    <header class="view-head bar">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="view-lead muted">{lead}</p>}
      </div>
      {actions && <div class="cluster">{actions}</div>}
    </header>
    {children}
  </div>
)
