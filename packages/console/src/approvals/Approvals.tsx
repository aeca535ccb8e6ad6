import { replaceRoute, route } from '../page/route.js'
import { standing } from '../page/standing.js'
import { Tabs } from '../parts/Tabs.js'
import { View } from '../parts/View.js'
import '../styles/approvals.css'
import { AlwaysAllowed } from './AlwaysAllowed.js'
import { PastDecisions } from './PastDecisions.js'
import { Waiting } from './Waiting.js'

/** The calls that wait for a yes or a no, those that were decided, and what is allowed for longer. */
export default function Approvals() {
  const shown = route.value.query.get('show') ?? 'waiting'
  const count = standing.value?.approvalsPending
  const tabs = [
    { id: 'waiting', label: 'Waiting', ...(count !== undefined && { count }) },
    { id: 'decided', label: 'Decided' },
    { id: 'always', label: 'Always allowed' },
  ]
  return (
    <View title="Approvals">
      <Tabs
        label="Approvals"
        tabs={tabs}
        current={shown}
        onChange={(id) => replaceRoute(['approvals'], { show: id === 'waiting' ? undefined : id })}
      >
        {shown === 'decided' ? <PastDecisions /> : shown === 'always' ? <AlwaysAllowed /> : <Waiting />}
      </Tabs>
    </View>
  )
}
