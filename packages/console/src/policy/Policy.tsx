import { useEffect } from 'preact/hooks'
import { getJson } from '../api/api.js'
import type { Policy as Rules } from '../api/types.js'
import { useEvents, useLoaded } from '../api/use-loaded.js'
import { currentRoute, replaceRoute } from '../page/route.js'
import { Loading } from '../parts/Empty.js'
import { Problem } from '../parts/Problem.js'
import { Tabs } from '../parts/Tabs.js'
import { Text } from '../parts/text/Text.js'
import { View } from '../parts/View.js'
import '../styles/policy.css'
import { ActiveRules, fallbackText } from './ActiveRules.js'
import { draft, isChanged } from './edit/draft.js'
import { EditRules } from './edit/EditRules.js'
import { exampleConfig, exampleRules } from './examples.js'
import { ExplainCall } from './explain/ExplainCall.js'
import { PolicyCases } from './PolicyCases.js'

/** How to come by rules of one's own. */
const NoPolicyFile = () => (
  <section class="card no-policy" aria-labelledby="no-policy">
    <h2 id="no-policy">There is no policy file yet</h2>
    <ol>
      <li>
        <p>
          Write rules into a file next to the config, for example <code>policy.yaml</code>:
        </p>
        <pre class="example mono">{exampleRules}</pre>
      </li>
      <li>
        <p>Name it in the config:</p>
        <pre class="example mono">{exampleConfig}</pre>
      </li>
      <li>The gateway reads it when the config is saved, and after each change. Then you can test and edit it here.</li>
    </ol>
  </section>
)

/** The rules in force: what they are, what they say about a call, and what they would say if they were changed. */
export default function Policy() {
  const { value: policy, trouble, reload } = useLoaded((signal) => getJson<Rules>('/policy', {}, signal), [])
  useEvents(['policy', 'config'], reload)
  useEffect(() => {
    // Changes that were not saved are not lost by closing the window without being told.
    const warn = (event: BeforeUnloadEvent) => {
      if (isChanged(draft.value)) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [])
  if (!policy)
    return (
      <View title="Policy">
        {trouble ? (
          <Problem title="The rules could not be loaded" error={trouble} onRetry={reload} />
        ) : (
          <Loading what="the rules" />
        )}
      </View>
    )
  return (
    <View
      title="Policy"
      lead={
        policy.file ? (
          <>
            The first rule that matches a call decides. The rules are in <Text of={policy.file} mono />.
          </>
        ) : (
          fallbackText(policy.fallback.decision)
        )
      }
    >
      {policy.trouble !== undefined && (
        <Problem title="The file is not valid, so the previous rules stay in force" error={policy.trouble} />
      )}
      <Shown policy={policy} onSaved={reload} />
    </View>
  )
}

function Shown({ policy, onSaved }: { readonly policy: Rules; readonly onSaved: () => void }) {
  const shown = currentRoute.value.query.get('show') ?? 'rules'
  const failed = policy.cases.filter(({ ok }) => !ok).length
  const tabs = [
    { id: 'rules', label: 'Rules', count: policy.rules.length },
    { id: 'explain', label: 'Explain a call' },
    { id: 'cases', label: failed > 0 ? 'Failed cases' : 'Cases', count: failed > 0 ? failed : policy.cases.length },
    { id: 'edit', label: isChanged(draft.value) ? 'Edit (not saved)' : 'Edit' },
  ]
  return (
    <Tabs
      label="Policy"
      tabs={tabs}
      current={shown}
      onChange={(id) => replaceRoute(['policy'], { show: id === 'rules' ? undefined : id })}
    >
      {shown === 'explain' ? (
        <ExplainCall />
      ) : policy.file === undefined ? (
        <NoPolicyFile />
      ) : shown === 'cases' ? (
        <PolicyCases cases={policy.cases} />
      ) : shown === 'edit' ? (
        <EditRules policy={policy} onSaved={onSaved} />
      ) : (
        <ActiveRules policy={policy} />
      )}
    </Tabs>
  )
}
