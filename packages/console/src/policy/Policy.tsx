import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Policy as Rules } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { RouteTabs } from '../page/RouteTabs.js'
import { LoadState } from '../parts/LoadState.js'
import { Problem } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'
import { View } from '../parts/View.js'
import '../styles/policy.css'
import { ActiveRules, fallbackText } from './ActiveRules.js'
import { draft, isChanged } from './edit/draft.js'
import { EditRules } from './edit/EditRules.js'
import { exampleConfig, exampleRules } from './examples.js'
import { ExplainCall } from './explain/ExplainCall.js'
import { PolicyCases } from './PolicyCases.js'

const NoPolicyFile = () => (
  <section class="card stack no-policy" aria-labelledby="no-policy">
    <h2 id="no-policy">There is no policy file yet</h2>
    <ol>
      <li>
        <p>
          Write rules into a file next to the config, for example <code>policy.yaml</code>:
        </p>
        <pre class="example sunken mono">{exampleRules}</pre>
        <p>All other calls are decided as before: tools that only read run, and others wait for approval.</p>
      </li>
      <li>
        <p>Name it in the config:</p>
        <pre class="example sunken mono">{exampleConfig}</pre>
      </li>
      <li>The gateway reads it when the config is saved, and after each change. Then you can test and edit it here.</li>
    </ol>
  </section>
)

/** The active rules, an explanation of how they decide a call, and an editor. */
export default function Policy() {
  const loaded = useGet<Rules>('/policy', {}, ['policy', 'config'])
  const { value: policy, reload } = loaded
  useEffect(() => {
    // The browser asks before a window with unsaved changes is closed.
    const warn = (event: BeforeUnloadEvent) => {
      if (isChanged(draft.value)) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [])
  return (
    <View title="Policy" lead={policy && leadOf(policy)}>
      <LoadState of={loaded} what="the rules" />
      {policy?.trouble !== undefined && (
        <Problem title="The file is not valid, so the previous rules stay in force" error={policy.trouble} />
      )}
      {policy && <RouteTabs label="Policy" view="policy" tabs={tabsFor(policy, reload)} />}
    </View>
  )
}

const leadOf = ({ file, fallback }: Rules) =>
  file === undefined ? (
    fallbackText(fallback.decision)
  ) : (
    <>
      The first rule that matches a call decides. The rules are in <Text of={file} mono />.
    </>
  )

function tabsFor(policy: Rules, onSaved: () => void) {
  const { file, rules, cases } = policy
  const failed = cases.filter(({ ok }) => !ok).length
  const withFile = (show: () => ComponentChildren) => (file === undefined ? () => <NoPolicyFile /> : show)
  return [
    { id: 'rules', label: 'Rules', count: rules.length, show: withFile(() => <ActiveRules policy={policy} />) },
    { id: 'explain', label: 'Explain a call', show: () => <ExplainCall /> },
    {
      id: 'cases',
      label: failed > 0 ? 'Failed cases' : 'Cases',
      count: failed > 0 ? failed : cases.length,
      show: withFile(() => <PolicyCases cases={cases} />),
    },
    {
      id: 'edit',
      label: isChanged(draft.value) ? 'Edit (not saved)' : 'Edit',
      show: withFile(() => <EditRules policy={policy} onSaved={onSaved} />),
    },
  ]
}
