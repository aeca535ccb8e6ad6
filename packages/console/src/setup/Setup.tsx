import '../styles/setup.css'
import { RouteTabs } from '../page/RouteTabs.js'
import { View } from '../parts/View.js'
import { ApiKeyList } from './ApiKeyList.js'
import { ServerList } from './ServerList.js'

const tabs = [
  { id: 'servers', label: 'Servers', show: () => <ServerList /> },
  { id: 'keys', label: 'API keys', show: () => <ApiKeyList /> },
]

export default function Setup(_: { path: string[] }) {
  return (
    <View title="Setup" lead="The servers behind the gateway, and the API keys of callers.">
      <RouteTabs label="Setup" view="setup" tabs={tabs} />
    </View>
  )
}
