// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { isBanned } from "./ban.ts";
export { authenticate, createCredential, credentials, endCredential, redeemLink } from "./credential.ts";
export { closeTeam, disablePrincipal, removeMember, restorePrincipal } from "./departure.ts";
export { erasable, erasePrincipal } from "./erase.ts";
export { createFirstAdmin, isFirstAdminOpen } from "./first-admin.ts";
export { linkIdentity, principalByIdentity } from "./identity.ts";
export {
  acceptInvitation,
  endInvitation,
  invitation,
  invitations,
  invite,
  joinByInvitation,
  mintInvitation,
  openInvitation,
} from "./invitation.ts";
export { passwordOf, setPassword } from "./password.ts";
export { createPasswordLink, mailPasswordLink, passwordLinkOf, resetPassword } from "./password-link.ts";
export { analystsBehind, createPrincipal, demoStatus, principal, principalByEmail, principals } from "./principal.ts";
export { setPrincipal } from "./profile.ts";
export { refuseSignIn } from "./refused-sign-in.ts";
export { grantRole, revokeRole, roleBindings, rolesOf } from "./role.ts";
export {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  secondFactorOf,
  secondFactors,
  useRecoveryCode,
  useSecondFactor,
} from "./second-factor.ts";
export { addMember, createTeam, members, team, teams } from "./team.ts";
export { linksAdmit, setLinksAdmit } from "./team-policy.ts";
