// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { closeTeam, disablePrincipal, removeMember, restorePrincipal } from "../departure/departure.ts";
export { isBanned } from "../people/ban.ts";
export { createCode, useCode, useRefresh } from "../people/code.ts";
export {
  authenticate,
  createCredential,
  credentials,
  endCredential,
  redeemLink,
  tokens,
} from "../people/credential.ts";
export { erasable, erasePrincipal, forgetAccess } from "../people/erase.ts";
export { createFirstAdmin, isFirstAdminOpen } from "../people/first-admin.ts";
export { linkIdentity, principalByIdentity } from "../people/identity.ts";
export {
  acceptInvitation,
  endInvitation,
  invitation,
  invitations,
  invite,
  joinByInvitation,
  mintInvitation,
  openInvitation,
} from "../people/invitation.ts";
export { passwordOf, setPassword } from "../people/password.ts";
export { createPasswordLink, mailPasswordLink, passwordLinkOf, resetPassword } from "../people/password-link.ts";
export {
  analystsBehind,
  createPrincipal,
  demoStatus,
  principal,
  principalByEmail,
  principals,
} from "../people/principal.ts";
export { setPrincipal } from "../people/profile.ts";
export { refuseSignIn } from "../people/refused-sign-in.ts";
export { grantRole, revokeRole, roleBindings, rolesOf } from "../people/role.ts";
export {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  secondFactorOf,
  secondFactors,
  useRecoveryCode,
  useSecondFactor,
} from "../people/second-factor.ts";
export { addMember, createTeam, members, team, teams } from "../people/team.ts";
export { linksAdmit, setLinksAdmit } from "../people/team-policy.ts";
export { signInsOf } from "../people/typed-address.ts";
