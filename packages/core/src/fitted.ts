/** What a promise says where an owner saw how rows fit before they declared them [M340]. */
export const FITTED =
  "Fitted to the data by its owner: who declared these data was shown which values did not fit. The promise is about answers, given what is declared; what the declaration itself says, such as a category of one person, is not covered.";
