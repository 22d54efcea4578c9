/** keepalived of the edge: one of two machines has the address of the house, and keeps it when the other comes back. */
import type { Cluster, EdgeMachine } from '../../../daemon/schema/cluster.ts'

/** Three missed adverts and a bit less than one more: within two seconds. */
const advertSeconds = 0.5

export function keepalivedConfig({ edge }: Cluster, machine: EdgeMachine): string {
  const others = edge.machines.filter(({ name }) => name !== machine.name)
  const priority = 100 - 10 * edge.machines.indexOf(machine)
  return `global_defs {
  router_id ${machine.name}
  vrrp_version 3
  enable_script_security
  script_user root
}

vrrp_script kamailio {
  script "/usr/bin/pgrep -x kamailio"
  interval 1
  fall 2
  rise 2
}

vrrp_script haproxy {
  script "/usr/bin/pgrep -x haproxy"
  interval 1
  fall 2
  rise 2
}

vrrp_instance pbx {
  state BACKUP
  nopreempt
  interface ${edge.interface}
  virtual_router_id ${edge.router}
  priority ${priority}
  advert_int ${advertSeconds}
  unicast_src_ip ${machine.address}
  unicast_peer {
${others.map(({ address }) => `    ${address}`).join('\n')}
  }
  virtual_ipaddress {
    ${edge.address}
  }
  track_script {
    kamailio
    haproxy
  }
}
`
}
