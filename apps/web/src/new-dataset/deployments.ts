/** Published values of ε: what it was spent on, for whom, and where it is written. */
interface Deployment {
  readonly who: string;
  readonly epsilon: string;
  readonly what: string;
  readonly source: string;
  readonly url: string;
}

/** A few of different sizes. They protect different units, so their ε are no ranking. */
export const deployments: readonly Deployment[] = [
  {
    who: "Wikimedia",
    epsilon: "about 1",
    what: "page views of a day by country, for one device and day, since 2023 (ρ = 0.015)",
    source: "Wikimedia, Pageviews Differential Privacy, 2024",
    url: "https://analytics.wikimedia.org/published/datasets/country_project_page/00_README.html",
  },
  {
    who: "Apple",
    epsilon: "4",
    what: "popular emoji, for one user and day, noise added on the device",
    source: "D. Desfontaines, A list of real-world uses of differential privacy",
    url: "https://desfontain.es/blog/real-world-differential-privacy.html",
  },
  {
    who: "US Census Bureau",
    epsilon: "17.14",
    what: "2020 Census redistricting data, for one person, once (production settings of June 2021)",
    source: "US Census Bureau, 2020 Census key parameters, 9 June 2021",
    url: "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html",
  },
  {
    who: "LinkedIn",
    epsilon: "34.9",
    what: "audience engagement answers, for one member, one analyst and month",
    source: "R. Rogers and others, LinkedIn’s Audience Engagements API, 2020",
    url: "https://arxiv.org/abs/2002.05839",
  },
];
