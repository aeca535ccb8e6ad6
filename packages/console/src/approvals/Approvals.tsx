import { RouteTabs } from '../page/RouteTabs.js'
import { pendingCount } from '../page/status/gateway-status.js'
import { View } from '../parts/View.js'
import '../styles/approvals.css'
import { GrantList } from './grants/GrantList.js'
import { PastDecisions } from './history/PastDecisions.js'
import { PendingQueue } from './queue/PendingQueue.js'

export default function Approvals() {
  const tabs = [
    { id: 'waiting', label: 'Waiting', show: () => <PendingQueue />, count: pendingCount.value },
    { id: 'decided', label: 'Decided', show: () => <PastDecisions /> },
    { id: 'always', label: 'Always allowed', show: () => <GrantList /> },
  ]
  return (
    <View title="Approvals">
      <RouteTabs label="Approvals" view="approvals" tabs={tabs} />
    </View>
  )
}
