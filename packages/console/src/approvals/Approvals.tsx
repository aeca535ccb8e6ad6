import { currentRoute, replaceRoute } from '../page/route.js'
import { gatewayStatus } from '../page/status/gateway-status.js'
import { Tabs } from '../parts/Tabs.js'
import { View } from '../parts/View.js'
import '../styles/approvals.css'
import { GrantList } from './grants/GrantList.js'
import { PastDecisions } from './history/PastDecisions.js'
import { PendingQueue } from './queue/PendingQueue.js'

/** The calls that wait for a yes or a no, those that were decided, and what is allowed for longer. */
export default function Approvals() {
  const shown = currentRoute.value.query.get('show') ?? 'waiting'
  const count = gatewayStatus.value?.approvalsPending
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
        {shown === 'decided' ? <PastDecisions /> : shown === 'always' ? <GrantList /> : <PendingQueue />}
      </Tabs>
    </View>
  )
}
